/**
 * Workloads whose inbound HTTP is changed by DataproxyFilters or WasmPlugins at every port.
 *
 * @module
 */
import { type Derived, type Graph, text } from "../../graph/mod.ts";
import {
  type DataproxyFilter,
  DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectPatch as ConfigPatch,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { PluginType, type WasmPlugin } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import { WorkloadMode } from "#mesh/type/v1beta1/selector_pb.ts";
import { type Tables, type Workload, workloadKeys } from "../inputs/mod.ts";

/** Row keys of the objects that select a workload. */
interface Selected {
  readonly filters: Derived<readonly string[], Workload>;
  readonly plugins: Derived<readonly string[], Workload>;
}

/**
 * Creates the table: true if an object changes HTTP at ports that no service has. There HTTP must be
 * detected, so that the object acts.
 */
export function deriveInboundHttp(
  graph: Graph,
  tables: Pick<Tables, "dataproxyFilters" | "wasmPlugins">,
  { filters, plugins }: Selected,
): Derived<boolean, Workload> {
  const byFilter = graph.derive(
    "filters.inboundHttp.patches",
    text,
    (read, key) => patchesHttp(read.get(tables.dataproxyFilters, key)?.spec),
  );
  const byPlugin = graph.derive(
    "filters.inboundHttp.plugins",
    text,
    (read, key) => plugsIntoHttp(read.get(tables.wasmPlugins, key)?.spec),
  );
  return graph.derive(
    "filters.inboundHttp",
    workloadKeys,
    (read, workload) =>
      read.get(filters, workload).some((key) => read.get(byFilter, key)) ||
      read.get(plugins, workload).some((key) => read.get(byPlugin, key)),
  );
}

function patchesHttp(filter: DataproxyFilter | undefined): boolean {
  return filter?.configPatches.some((patch) => isInbound(patch) && isAboutHttp(patch)) ?? false;
}

function isInbound({ match }: ConfigPatch): boolean {
  return [Context.ANY, Context.SIDECAR_INBOUND].includes(match?.context ?? Context.ANY);
}

/** The name of the filter of HTTP connections. */
const CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";

/** A patch with a port number acts only at a declared port. */
function isAboutHttp({ applyTo, match }: ConfigPatch): boolean {
  const { case: kind, value } = match?.objectTypes ?? { case: undefined };
  const listener = kind === "listener" ? value : undefined;
  if (listener !== undefined && listener.portNumber > 0) return false;
  switch (applyTo) {
    case ApplyTo.HTTP_FILTER:
      return true;
    case ApplyTo.NETWORK_FILTER:
      return listener?.filterChain?.filter?.name === CONNECTION_MANAGER;
    case ApplyTo.ROUTE_CONFIGURATION:
    case ApplyTo.VIRTUAL_HOST:
    case ApplyTo.HTTP_ROUTE:
      return kind !== "routeConfiguration" || value.portNumber === 0;
    default:
      return false;
  }
}

function plugsIntoHttp(plugin: WasmPlugin | undefined): boolean {
  if (plugin === undefined || plugin.type === PluginType.NETWORK) return false;
  const { UNDEFINED, SERVER, CLIENT_AND_SERVER } = WorkloadMode;
  return plugin.match.length === 0 ||
    plugin.match.some(({ mode, ports }) =>
      ports.length === 0 && [UNDEFINED, SERVER, CLIENT_AND_SERVER].includes(mode)
    );
}
