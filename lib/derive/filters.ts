/**
 * Which patches and plugins apply to a workload's proxy: DataproxyFilters and
 * WasmPlugins, by type of resource.
 *
 * A patch is named `namespace/name#INDEX`, a plugin `~namespace/name`. What names
 * stand for is read where they are applied, so that an edit of a value touches
 * patched resources, and not what anybody is served otherwise.
 *
 * @module
 */
import type { Graph, Read } from "../graph/mod.ts";
import type { ConfigObject, Role } from "../model/mod.ts";
import { fetchableModule } from "../schema/mod.ts";
import { compileRegex } from "../text/mod.ts";
import {
  type DataproxyFilter,
  DataproxyFilter_ApplyTo as ApplyTo,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { WasmPlugin } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import { chosenBy, type SecurityOptions, type Workload, workloadKey } from "./security.ts";
import { byAge } from "./services.ts";
import type { Tables } from "./tables.ts";

/** What changes resources of each type after they were made: names of patches and plugins, in order, joined by commas; `""` for none. */
export interface Patching {
  readonly cluster: string;
  readonly listener: string;
  /** Of route tables and virtual hosts. */
  readonly route: string;
  readonly extension: string;
}

/** Nothing is changed. */
export const UNPATCHED: Patching = { cluster: "", listener: "", route: "", extension: "" };

/** What patches choose proxies by. */
export interface PatchedProxy extends Workload {
  readonly version: string;
  /** Metadata of the node; what is no text does not count. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Finds what changes a proxy's resources. */
export type PatchingOf = (read: Read, proxy: PatchedProxy) => Patching;

/** What of a patch decides whom it is for. */
interface Aim {
  readonly applyTo: ApplyTo;
  readonly context: Context;
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Types that a patch may change. */
type Part = keyof Patching;

/** Creates the tables. */
export function deriveFilters(graph: Graph, tables: Tables, options: SecurityOptions): PatchingOf {
  const filters = chosenBy(
    graph,
    tables.dataproxyFilters,
    "filters.patches",
    options,
    byPriority((spec: DataproxyFilter) => spec.priority),
  );
  const plugins = chosenBy(
    graph,
    tables.wasmPlugins,
    "filters.plugins",
    options,
    // Those with a higher priority stand first.
    byPriority((spec: WasmPlugin) => -(spec.priority ?? 0)),
  );
  const aims = graph.derive<readonly Aim[]>("filters.aims", (read, key) => {
    const patches = read.get(tables.dataproxyFilters, key)?.spec.configPatches ?? [];
    return patches.map(({ applyTo, match }) => ({
      applyTo,
      context: match?.context ?? Context.ANY,
      version: match?.proxy?.proxyVersion ?? "",
      metadata: match?.proxy?.metadata ?? {},
    }));
  });
  const fetched = graph.derive<"no" | "file" | "remote">("filters.module", (read, key) => {
    const spec = read.get(tables.wasmPlugins, key)?.spec;
    return spec === undefined ? "no" : fetchableModule(spec);
  });
  return (read, proxy) => {
    const key = workloadKey(proxy);
    const names: Record<Part, string[]> = { cluster: [], listener: [], route: [], extension: [] };
    for (const plugin of listed(read.get(plugins, key))) {
      const from = read.get(fetched, plugin);
      if (from === "no") continue;
      const parts: Part[] = [
        "listener",
        "extension",
        ...from === "remote" ? ["cluster"] as const : [],
      ];
      for (const part of parts) names[part].push(`~${plugin}`);
    }
    for (const filter of listed(read.get(filters, key))) {
      read.get(aims, filter).forEach((aim, index) => {
        if (!meant(aim, proxy)) return;
        for (const part of partsOf(aim, proxy.role)) names[part].push(`${filter}#${index}`);
      });
    }
    return {
      cluster: names.cluster.join(),
      listener: names.listener.join(),
      route: names.route.join(),
      extension: names.extension.join(),
    };
  };
}

/** Lowest first, then by age and name. */
function byPriority<T>(
  priority: (spec: T) => number,
): (a: ConfigObject<T>, b: ConfigObject<T>) => number {
  return (a, b) => priority(a.spec) - priority(b.spec) || byAge(a, b);
}

/** The keys of a list as tables hold it. */
function listed(keys: string): string[] {
  return keys === "" ? [] : keys.split(",");
}

/** Whether a patch is for a proxy at all. */
function meant({ context, version, metadata }: Aim, proxy: PatchedProxy): boolean {
  const contexts = proxy.role === "router"
    ? [Context.ANY, Context.GATEWAY]
    : [Context.ANY, Context.SIDECAR_INBOUND, Context.SIDECAR_OUTBOUND];
  if (!contexts.includes(context)) return false;
  if (version !== "") {
    const expression = compileRegex(version);
    if (proxy.version === "" || typeof expression === "string") return false;
    if (!expression.matchesPart(proxy.version)) return false;
  }
  return Object.entries(metadata).every(([name, value]) => proxy.metadata[name] === value);
}

/** The types whose resources a patch may change. A sidecar's inbound routes are inside of its listeners. */
function partsOf({ applyTo, context }: Aim, role: Role): readonly Part[] {
  switch (applyTo) {
    case ApplyTo.CLUSTER:
      return ["cluster"];
    case ApplyTo.LISTENER:
    case ApplyTo.LISTENER_FILTER:
    case ApplyTo.FILTER_CHAIN:
    case ApplyTo.NETWORK_FILTER:
    case ApplyTo.HTTP_FILTER:
      return ["listener"];
    case ApplyTo.ROUTE_CONFIGURATION:
    case ApplyTo.VIRTUAL_HOST:
    case ApplyTo.HTTP_ROUTE:
      if (role === "router" || context === Context.SIDECAR_OUTBOUND) return ["route"];
      return context === Context.SIDECAR_INBOUND ? ["listener"] : ["route", "listener"];
    case ApplyTo.EXTENSION_CONFIG:
      return ["extension"];
    default:
      return [];
  }
}
