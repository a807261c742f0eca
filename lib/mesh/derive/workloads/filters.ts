/**
 * Patches and plugins of a proxy: DataproxyFilters and WasmPlugins, by the type of
 * resource that they change.
 *
 * Only references are collected here. The values of patches are read where they are
 * applied, so that an edit of a value affects patched resources only.
 *
 * @module
 */
import { converted, type Derived, type KeyCodec, list, type Read, text } from "../../graph/mod.ts";
import {
  AGENT_WASM,
  byAge,
  type ConfigObject,
  GATEWAY_NAME_LABEL,
  type ObjectKey,
  type OmittedFeature,
  PATCH_VALUES,
  type Role,
} from "../../model/mod.ts";
import { type ModuleOrigin, moduleOrigin, patchEnumValues } from "../../schema/mod.ts";
import { compileRegex } from "../../../kit/text/mod.ts";
import {
  type DataproxyFilter,
  DataproxyFilter_ApplyTo as ApplyTo,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { WasmPlugin } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { Workload } from "../inputs/mod.ts";
import { deriveInboundHttp } from "./inbound_http.ts";
import { deriveOfServices, type OfServices, type ServedObject } from "./attached.ts";
import { deriveSelected, indexSelectors, type SelectionOptions } from "./selection.ts";

/** A patch of a DataproxyFilter, or a WasmPlugin. */
export type ChangeRef =
  & ({ readonly filter: string; readonly patch: number } | { readonly plugin: string })
  & {
    /** The services of a waypoint that it is limited to; unset: it is for everything. */
    readonly hosts?: readonly string[];
  };

/**
 * The codec of one reference: `namespace/name#INDEX` for a patch, `~namespace/name` for a plugin, with
 * `@HOST,HOST` where it is limited to services.
 */
export const changeRef: KeyCodec<ChangeRef> = converted(text, {
  encode: (ref: ChangeRef) => {
    const name = "plugin" in ref ? `~${ref.plugin}` : `${ref.filter}#${ref.patch}`;
    return ref.hosts === undefined ? name : `${name}@${ref.hosts.join(",")}`;
  },
  decode: (encoded): ChangeRef => {
    const [ref = "", hosts] = encoded.split("@");
    const limited = hosts === undefined ? {} : { hosts: hosts.split(",") };
    if (ref.startsWith("~")) return { plugin: ref.slice(1), ...limited };
    const hash = ref.lastIndexOf("#");
    return { filter: ref.slice(0, hash), patch: Number(ref.slice(hash + 1)), ...limited };
  },
});

/** The codec of a list of references, in the order in which they apply. */
export const changeKeys: KeyCodec<readonly ChangeRef[]> = list(changeRef);

/** The patches and plugins for each type of resource, as texts of {@link changeKeys}; `""` for none. */
export interface Patching {
  readonly cluster: string;
  readonly listener: string;
  /** Digest for route tables and virtual hosts. */
  readonly route: string;
  readonly extension: string;
}

/** Nothing is changed. */
export const UNPATCHED: Patching = { cluster: "", listener: "", route: "", extension: "" };

/** The properties of a proxy by which patches select it. */
export interface PatchedProxy extends Workload {
  readonly version: string;
  /** Features that its Envoy lacks; absent: none. */
  readonly missing?: readonly OmittedFeature[];
  /** Metadata of the node; values other than text are left out. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Finds the patches and plugins of a proxy. */
export type PatchingOf = (read: Read, proxy: PatchedProxy) => Patching;

/** The derived tables about patches and plugins. */
export interface Patches {
  readonly patchingOf: PatchingOf;
  /** See {@link deriveInboundHttp}. */
  readonly inboundHttp: Derived<boolean, Workload>;
}

/** The fields of a patch that decide which proxies it applies to. */
interface Condition {
  readonly applyTo: ApplyTo;
  readonly context: Context;
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Features of Envoy that its value needs. */
  readonly needs: readonly OmittedFeature[];
}

/** Types that a patch may change. */
type Part = keyof Patching;

/** Creates the tables. */
export function deriveFilters(
  { graph, tables }: MeshInputs,
  options: SelectionOptions,
  served?: Derived<readonly ServedObject[], ObjectKey>,
): Patches {
  const filters = indexSelectors(
    graph,
    tables.dataproxyFilters,
    byPriority((spec: DataproxyFilter) => spec.priority),
  );
  // Plugins with a higher priority go first.
  const plugins = indexSelectors(
    graph,
    tables.wasmPlugins,
    byPriority((spec: WasmPlugin) => -(spec.priority ?? 0)),
  );
  const whole = {
    filters: deriveSelected(graph, "filters.patches", filters, options),
    plugins: deriveSelected(graph, "filters.plugins", plugins, options),
  };
  const ofServices = {
    filters: deriveOfServices(graph, "filters.patches.services", filters, served),
    plugins: deriveOfServices(graph, "filters.plugins.services", plugins, served),
  };
  const conditions = graph.derive(
    "filters.conditions",
    text,
    (read, key) => conditionsOf(read.get(tables.dataproxyFilters, key)?.spec),
  );
  const origins = graph.derive("filters.module", text, (read, key): ModuleOrigin | undefined => {
    const spec = read.get(tables.wasmPlugins, key)?.spec;
    return spec && moduleOrigin(spec);
  });
  const patchingOf: PatchingOf = (read, proxy) => {
    const found: Record<Part, ChangeRef[]> = {
      cluster: [],
      listener: [],
      route: [],
      extension: [],
    };
    const of = (kind: keyof typeof whole) =>
      objectsFor(read, { whole: whole[kind], ofServices: ofServices[kind] }, proxy);
    for (const { key: plugin, ...limits } of of("plugins")) {
      const parts = partsOfPlugin(read.get(origins, plugin), proxy);
      for (const part of parts) found[part].push({ plugin, ...limits });
    }
    for (const { key: filter, ...limits } of of("filters")) {
      read.get(conditions, filter).forEach((condition, patch) => {
        if (!applies(condition, proxy)) return;
        for (const part of partsOf(condition, proxy.role)) {
          found[part].push({ filter, patch, ...limits });
        }
      });
    }
    return {
      cluster: changeKeys.encode(found.cluster),
      listener: changeKeys.encode(found.listener),
      route: changeKeys.encode(found.route),
      extension: changeKeys.encode(found.extension),
    };
  };
  return { patchingOf, inboundHttp: deriveInboundHttp(graph, tables, whole) };
}

/** The objects of a kind for a proxy: those for all that it does, then those for services at a waypoint. */
function objectsFor(
  read: Read,
  { whole, ofServices }: {
    readonly whole: Derived<readonly string[], Workload>;
    readonly ofServices: Derived<readonly OfServices[], ObjectKey>;
  },
  { role, namespace, labels }: Workload,
): readonly (Pick<OfServices, "key"> & Partial<OfServices>)[] {
  const all = read.get(whole, { role, namespace, labels });
  const gateway = labels[GATEWAY_NAME_LABEL];
  const some = role !== "waypoint" || gateway === undefined
    ? []
    : read.get(ofServices, { namespace, name: gateway }).filter(({ key }) => !all.includes(key));
  return [...all.map((key) => ({ key })), ...some];
}

/** The condition of each patch of a filter; none for a filter that does not exist. */
function conditionsOf(filter: DataproxyFilter | undefined): readonly Condition[] {
  return (filter?.configPatches ?? []).map((written) => {
    const { applyTo, match } = written;
    return {
      applyTo,
      context: match?.context ?? Context.ANY,
      version: match?.proxy?.proxyVersion ?? "",
      metadata: match?.proxy?.metadata ?? {},
      needs: patchEnumValues(written).flatMap((value) => PATCH_VALUES.get(value) ?? []),
    };
  });
}

/**
 * The types that a plugin changes. A proxy that fetches a module itself needs a cluster; without an
 * agent it gets no plugin whose module only an agent can fetch.
 */
function partsOfPlugin(
  origin: ModuleOrigin | undefined,
  { metadata }: PatchedProxy,
): readonly Part[] {
  const hasAgent = metadata[AGENT_WASM] === "true";
  if (origin === undefined || (origin === "agent" && !hasAgent)) return [];
  return origin === "remote" && !hasAgent
    ? ["listener", "extension", "cluster"]
    : ["listener", "extension"];
}

/** Lowest first, then by age and name. */
function byPriority<T>(
  priority: (spec: T) => number,
): (a: ConfigObject<T>, b: ConfigObject<T>) => number {
  return (a, b) => priority(a.spec) - priority(b.spec) || byAge(a, b);
}

/** The contexts of the proxies of a role. */
const CONTEXTS: Readonly<Record<Role, readonly Context[]>> = {
  sidecar: [Context.ANY, Context.SIDECAR_INBOUND, Context.SIDECAR_OUTBOUND],
  router: [Context.ANY, Context.GATEWAY],
  waypoint: [Context.ANY, Context.WAYPOINT],
};

/** Reports if a patch applies to a proxy. */
function applies(condition: Condition, proxy: PatchedProxy): boolean {
  const { context, version, metadata, needs } = condition;
  if (needs.some((feature) => proxy.missing?.includes(feature))) return false;
  if (!CONTEXTS[proxy.role].includes(context)) return false;
  if (version !== "") {
    const expression = compileRegex(version);
    if (proxy.version === "" || typeof expression === "string") return false;
    if (!expression.matchesPart(proxy.version)) return false;
  }
  return Object.entries(metadata).every(([name, value]) => proxy.metadata[name] === value);
}

/**
 * The types of resources that a patch may change. A sidecar's inbound routes, and a waypoint's routes to
 * workloads, are part of their listeners.
 */
function partsOf({ applyTo, context }: Condition, role: Role): readonly Part[] {
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
      if (role === "waypoint") return ["route", "listener"];
      if (role !== "sidecar" || context === Context.SIDECAR_OUTBOUND) return ["route"];
      return context === Context.SIDECAR_INBOUND ? ["listener"] : ["route", "listener"];
    case ApplyTo.EXTENSION_CONFIG:
      return ["extension"];
    default:
      return [];
  }
}
