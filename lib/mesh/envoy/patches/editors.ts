/**
 * Functions that apply one change to one message, by resource type.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type TypedExtensionConfig,
  TypedExtensionConfigSchema,
} from "#envoy/config/core/v3/extension_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  DataproxyFilter_ApplyTo as ApplyTo,
  DataproxyFilter_Patch_Operation as Operation,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Role } from "../../model/mod.ts";
import { type DescMessage, mergeInto, type MessageShape } from "../../../kit/proto/mod.ts";
import {
  CONNECT_ORIGINATE,
  CONNECT_TERMINATE,
  INNER_ORIGINATE,
  OUTER_ORIGINATE,
} from "../core/mod.ts";
import { type Change, mergeRule, type Patch, type Where } from "./change.ts";
import { patchCluster } from "./clusters.ts";
import { fetchCluster } from "./fetches.ts";
import { patchListener } from "./listeners.ts";
import { insertPlugin, pluginConfiguration } from "./plugins.ts";
import { type Done, patchTable, patchVirtualHost } from "./routes.ts";

/** Applies changes to resources of a type. */
export interface Editor<D extends DescMessage> {
  readonly schema: D;
  readonly apply: (message: MessageShape<D>, change: Change, role: Role) => Done;
}

function editor<D extends DescMessage>(schema: D, apply: Editor<D>["apply"]): Editor<DescMessage> {
  return { schema, apply } as unknown as Editor<DescMessage>;
}

/** Types whose resources can be patched. */
export type PatchedType = "cluster" | "listener" | "route" | "virtualHost" | "extension";

/** Listeners at which tunnels end and begin. */
const TUNNEL_LISTENERS: readonly string[] = [
  CONNECT_TERMINATE,
  CONNECT_ORIGINATE,
  INNER_ORIGINATE,
  OUTER_ORIGINATE,
];

export const EDITORS: Readonly<Record<PatchedType, Editor<DescMessage>>> = {
  cluster: editor(
    ClusterSchema,
    (cluster, change, role) =>
      change.kind === "patch" ? patchCluster(cluster, change, role) : "nothing",
  ),
  listener: editor(ListenerSchema, (listener, change, role) => {
    // Tunnels carry connections of all kinds, to which no change can apply there.
    if (TUNNEL_LISTENERS.includes(listener.name)) return "nothing";
    if (change.kind === "patch") return patchListener(listener, change, role);
    return insertPlugin(listener, change, role) ? "changed" : "nothing";
  }),
  route: editor(RouteConfigurationSchema, (table, change, role) => {
    if (change.kind !== "patch") return "nothing";
    return patchTable(table, change, sideOf(role)) ? "changed" : "nothing";
  }),
  virtualHost: editor(
    VirtualHostSchema,
    (host, change, role) =>
      change.kind === "patch" ? patchVirtualHost(host, change, sideOf(role)) : "nothing",
  ),
  extension: editor(
    TypedExtensionConfigSchema,
    (config, change) => change.kind === "patch" ? patchExtension(config, change) : "nothing",
  ),
};

/** Route tables that are resources are outbound; inbound ones are inline in listeners. */
function sideOf(role: Role): Where {
  if (role === "waypoint") return "waypoint";
  return role === "router" ? "gateway" : "outbound";
}

/** Extension configurations are selected by the name in the patch's value. */
function patchExtension(config: TypedExtensionConfig, { operation, value }: Patch): Done {
  if ((value as TypedExtensionConfig | undefined)?.name !== config.name) return "nothing";
  if (operation === Operation.REMOVE) return "removed";
  const lists = mergeRule(operation);
  if (lists === undefined) return "nothing";
  mergeInto(TypedExtensionConfigSchema, config, value as TypedExtensionConfig, lists);
  return "changed";
}

/** Patches that add resources, by type. */
const ADDED: Readonly<Partial<Record<PatchedType, ApplyTo>>> = {
  cluster: ApplyTo.CLUSTER,
  listener: ApplyTo.LISTENER,
  extension: ApplyTo.EXTENSION_CONFIG,
};

export function additionOf(
  type: PatchedType,
  change: Change,
): MessageShape<DescMessage> | undefined {
  if (change.kind === "plugin") {
    if (type === "extension") return pluginConfiguration(change);
    return type === "cluster" ? fetchCluster(change.spec.url, change.fips) : undefined;
  }
  const adds = change.applyTo === ADDED[type] && change.operation === Operation.ADD;
  return adds ? change.value : undefined;
}
