/**
 * Translation: the resources of every proxy class, as views over layers that classes share; and the
 * pipeline of tables, their writer and their translation.
 *
 * @module
 */
import type { WantedConfigMaps } from "../gateway_api/mod.ts";
import { createMesh, type Mesh } from "../derive/mod.ts";
import type { Collection, Graph, Keep } from "../graph/mod.ts";
import { type ChangeSet, createTableWriter, type TableWriter } from "../ingest/mod.ts";
import type { BindingSource } from "../model/mod.ts";
import { ambientLayers, bindNodeProxy } from "./ambient/mod.ts";
import { createAgentLayers } from "./agents/mod.ts";
import { deriveSharedSettings } from "./context/mod.ts";
import type { BaseContext, Context, Features } from "./features.ts";
import { createLayers, type Layers } from "./layers.ts";
import { bindClient, objectLayers } from "./objects/mod.ts";
import {
  type BindingTables,
  bindProxy,
  deriveClassBindings,
  deriveClasses,
  MOST_NAMES,
} from "./proxies/mod.ts";
import { deriveSecurityPolicies } from "./security/mod.ts";
import { deriveTelemetry } from "./telemetry/mod.ts";

/** Translation at work over a graph. */
export interface Translation {
  readonly mesh: Mesh;
  /** The source of proxy bindings, for serving. */
  readonly source: BindingSource;
  /** Names of key sets that this program should fetch; calls back, during a publication, when they change. */
  wantedKeySets(
    onChange: (names: readonly string[]) => void,
  ): { readonly value: readonly string[]; close(): void };
  /** Host names of gateways of networks that this program should resolve, in the same way. */
  wantedGatewayNames(
    onChange: (names: readonly string[]) => void,
  ): { readonly value: readonly string[]; close(): void };
  /** Names of ConfigMaps that this program should follow, in the same way. */
  wantedConfigMaps(
    onChange: (names: WantedConfigMaps) => void,
  ): { readonly value: WantedConfigMaps; close(): void };
  /** Computes some of what the next publication needs, in about `ms`; true when nothing is left. */
  precompute(ms: number): boolean;
  /** Publishes everything that was written to the tables; returns the revision. */
  publish(): number;
  /** Names that proxies of a workload class may ask for on demand. */
  readonly onDemandNames: number;
  /** The host that a name stands for which proxies of a workload class asked for; empty: none. */
  hostAsked(workload: string, name: string): string;
  /** Effects of DataproxyFilters and WasmPlugins, and those of invalid ones if they were valid. */
  readonly patches: Layers["patches"];
  /**
   * Drops what is beyond the bounds of memory, in about `ms` (default: all of it); true when nothing
   * is left. For after every publication.
   */
  tidy(ms?: number): boolean;
}

/** Default limits for retained cells and collections without subscribers. */
const KEEP: Keep = { collections: 64, cells: 60_000, bytes: 32 * 1024 * 1024 };

/** Settings of translation. */
export interface TranslationOptions {
  /** The cluster that endpoints of files belong to. */
  readonly clusterId: string;
  /** Cluster id by alias, for the cluster that a proxy names. */
  readonly clusterAliases?: ReadonlyMap<string, string>;
  readonly features: Features;
  /** Bounds of the memory for resources that no proxy is served. */
  readonly keep?: Keep;
}

/** Creates the translation of a mesh, whose tables may still be empty. */
export function createTranslation(mesh: Mesh, options: TranslationOptions): Translation {
  const { graph } = mesh;
  const { features } = options;
  const context = createContext(mesh, options);
  const bindings = deriveClassBindings(context);
  const layers = createLayers(context);
  const agentLayersOf = createAgentLayers(context);
  const objects = objectLayers(mesh);
  const ambientLayersOf = ambientLayers(mesh);
  const listeners = new Set<(changed: ReadonlySet<Collection>, revision: number) => void>();
  let published = graph.revision;

  // Layers that proxies moved away from, by the last publication and the one before.
  let leaving: (readonly Collection[])[] = [];
  let left: (readonly Collection[])[] = [];
  const bindingTables: BindingTables = {
    bindings,
    layersOf: layers.of,
    agentLayersOf,
    releaseLater: (layers: readonly Collection[]): void => void leaving.push(layers),
  };
  const publish = (): number => {
    const { revision } = graph;
    if (revision === published) return revision;
    for (const layers of left) for (const layer of layers) layer.release();
    left = leaving;
    leaving = [];
    const changed = graph.publish();
    published = revision;
    for (const listener of listeners) listener(changed, revision);
    return revision;
  };

  return {
    mesh,
    precompute: (ms) => graph.warm(ms),
    publish,
    onDemandNames: features.onDemandNames ?? MOST_NAMES,
    hostAsked: layers.hostAsked,
    patches: layers.patches,
    tidy: (ms) => graph.evict(options.keep ?? KEEP, ms).done,
    wantedKeySets: (onChange) => graph.watch(context.security.wantedKeySets, "all", onChange),
    wantedGatewayNames: (onChange) =>
      mesh.ambient?.multiNetwork === true
        ? graph.watch(mesh.ambient.networks.names, "all", onChange)
        : { value: [], close: () => {} },
    wantedConfigMaps: (onChange) =>
      graph.watch(mesh.gatewayApi.references.wantedConfigMaps, "all", onChange),
    source: {
      bind: (node, onRebind) =>
        node.role === "ztunnel"
          ? bindNodeProxy(mesh, ambientLayersOf, node)
          : node.generator === undefined
          ? bindProxy(context, bindingTables, node, onRebind)
          : bindClient(graph, objects, node.generator),
      onPublish: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      prepare: (millis) => graph.prepare(millis),
      get revision() {
        return published;
      },
    },
  };
}

/** Creates the tables that all resources share. */
function createContext(
  mesh: Mesh,
  { features, clusterId, clusterAliases = new Map() }: TranslationOptions,
): Context {
  const base: BaseContext = { mesh, features, clusterId, clusterAliases };
  return {
    ...base,
    settings: deriveSharedSettings(mesh),
    classes: deriveClasses(base),
    security: deriveSecurityPolicies(base),
    telemetry: deriveTelemetry(base),
  };
}

/** Settings of a pipeline. */
export interface PipelineOptions extends TranslationOptions {
  /** The DNS suffix of the mesh. */
  readonly domain: string;
}

/**
 * From written rows to published resources. The daemon has one pipeline; what-if analyses,
 * simulations and replays make their own.
 */
export interface Pipeline {
  readonly mesh: Mesh;
  readonly writer: TableWriter;
  readonly translation: Translation;
  /** Writes changes in one transaction and publishes them; returns the revision. */
  apply(changes: ChangeSet): number;
}

/**
 * Creates a pipeline in a graph, with empty tables.
 *
 * @example
 * ```ts
 * import { createPipeline, type Features } from "./mod.ts";
 * import { createGraph } from "../graph/mod.ts";
 * import { upsertOf } from "../ingest/mod.ts";
 * import type { ConfigObject, ProxyNode } from "../model/mod.ts";
 *
 * // Names of the clusters that a proxy is served.
 * function clusters(objects: ConfigObject[], node: ProxyNode, features: Features): string[] {
 *   const options = { domain: "cluster.local", clusterId: "Orchestrator", features };
 *   const pipeline = createPipeline(createGraph(), options);
 *   pipeline.apply({ objects: objects.flatMap((one) => upsertOf(one) ?? []) });
 *   const binding = pipeline.translation.source.bind(node, () => {});
 *   const view = binding.view("type.googleapis.com/envoy.config.cluster.v3.Cluster");
 *   return [...view?.names() ?? []];
 * }
 * ```
 */
export function createPipeline(graph: Graph, options: PipelineOptions): Pipeline {
  const { domain, clusterId, features } = options;
  const mesh = createMesh(graph, {
    domain,
    clusterId,
    mergeEqualExports: features.mergeEqualExports,
    selectorsForApiGateways: features.selectorsForApiGateways,
    gatewayClasses: features.gatewayClasses ?? {},
    scopedGateways: features.scopeGatewayToNamespace,
    gatewayApi: features.gatewayApi ?? true,
    experimentalGatewayApi: features.experimentalGatewayApi ?? false,
    ambient: features.ambient ?? false,
    allowWaypoints: features.allowWaypoints ?? false,
    multiNetwork: features.networks !== undefined,
    discoverNetworkGateways: features.discoverNetworkGateways ?? true,
  });
  const writer = createTableWriter(mesh, {
    scoping: features.enhancedScoping,
    gatewayApi: features.gatewayApi ?? true,
  });
  const translation = createTranslation(mesh, options);
  return {
    mesh,
    writer,
    translation,
    apply: (changes) => {
      writer.write(changes);
      const revision = translation.publish();
      translation.tidy();
      return revision;
    },
  };
}
