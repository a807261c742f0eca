/**
 * From the mesh to what each proxy class is served: encoded, named, versioned by
 * content, in layers that classes share. No clock, no network, no files.
 *
 * @module
 */
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import {
  createDiscovery,
  createExportDefaults,
  createMesh,
  type Credential,
  type Discovery,
  type KeySet,
  type Mesh,
  MESH_ROW,
  placeOf,
  TABLE_KINDS,
  type TableKind,
  tableOf,
} from "../derive/mod.ts";
import type { Collection, Graph, Input, Keep, Transaction } from "../graph/mod.ts";
import type { BindingSource, ConfigObject } from "../model/mod.ts";
import { createAgentLayers } from "./agents/mod.ts";
import type { Features } from "./context/mod.ts";
import { createLayers, type Layers } from "./layers/mod.ts";
import { deriveClasses, derivePlacements, takeSeat } from "./proxies/mod.ts";
import { deriveGuards } from "./security/mod.ts";
import { deriveSharedSettings, deriveSignals } from "./settings/mod.ts";

export { type Features, mergeTrafficPolicy } from "./context/mod.ts";
export {
  inboundConflicts,
  type ListenerConflict,
  listenerConflicts,
  unmetRequests,
} from "./diagnostics/mod.ts";
export { keeping } from "./layers/mod.ts";
export type { PatchFault } from "./patches/mod.ts";
export {
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  suspectsOf,
} from "./provenance/mod.ts";

/** A change of one object: its new version, or `undefined` when it is gone. */
export interface ObjectChange {
  readonly kind: TableKind;
  /** `namespace/name`. */
  readonly key: string;
  readonly object: ConfigObject | undefined;
}

/** Changes that belong together. */
export interface ChangeSet {
  /** Key sets by address. */
  readonly keySets?: ReadonlyMap<string, KeySet>;
  /** Credentials by `namespace/name`; `undefined` when one is gone. */
  readonly credentials?: ReadonlyMap<string, Credential | undefined>;
  readonly objects?: readonly ObjectChange[];
  readonly mesh?: MeshConfig;
  readonly networks?: MeshNetworks;
}

/** Translation at work over a graph. */
export interface Translation {
  readonly mesh: Mesh;
  /** What serving takes its seats from. */
  readonly source: BindingSource;
  /** Addresses of key sets that this program should fetch; calls back, during a publication, when they are others. */
  wantedKeySets(
    onChange: (uris: readonly string[]) => void,
  ): { readonly value: readonly string[]; close(): void };
  /** An object as it was given, which its table may have with the mesh's defaults filled in. */
  original(kind: TableKind, key: string): ConfigObject | undefined;
  /** All there is, as it was given: applied to another translation, it makes that one equal. */
  all(): Required<ChangeSet>;
  /** Applies changes in one transaction and publishes what came out of them; returns the revision. */
  apply(changes: ChangeSet): number;
  /**
   * Does the same in pieces, between which others have their turn, so that large changes hold
   * nobody up. Nothing is published before all of it is. One at a time, and not beside `apply`.
   * Whoever takes a seat meanwhile may see some of the objects of a large change before others,
   * until the publication.
   */
  applyInPieces(changes: ChangeSet, pace: Pace): Promise<number>;
  /** Whether what lies in a namespace is looked at; see `discoverySelectors`. */
  readonly sees: Discovery["sees"];
  /** What DataproxyFilters and WasmPlugins do, and what they would do if it were valid. */
  readonly patches: Layers["patches"];
  /** Drops what is beyond the bounds of memory; every publication does it too. */
  tidy(): void;
}

/** How work is cut in pieces. */
export interface Pace {
  /** Milliseconds of a piece. */
  readonly millis: number;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
}

const NO_KEY_SETS: NonNullable<ChangeSet["keySets"]> = new Map();

/** Objects written at once in a large change: a few milliseconds. */
const PIECE = 200;

/** What stays in memory, if not told otherwise, of what nobody asks for any more. */
const KEEP: Keep = { collections: 64, cells: 60_000, bytes: 32 * 1024 * 1024 };

/**
 * Creates translation in a graph.
 *
 * @param options.domain the mesh's DNS suffix
 * @param options.clusterId the cluster that endpoints of files belong to
 * @param options.config the mesh configuration to start with
 */
export function createTranslation(
  graph: Graph,
  options: {
    readonly domain: string;
    readonly clusterId: string;
    readonly features: Features;
    readonly config: MeshConfig;
    readonly networks: MeshNetworks;
    readonly keep?: Keep;
  },
): Translation {
  const mesh = createMesh(graph, {
    domain: options.domain,
    clusterId: options.clusterId,
    mergeEqualExports: options.features.mergeEqualExports,
    selectorsForApiGateways: options.features.selectorsForApiGateways,
  });
  const partial = {
    mesh,
    features: options.features,
    clusterId: options.clusterId,
    settings: deriveSharedSettings(mesh),
  };
  const context = {
    ...partial,
    classes: deriveClasses(partial),
    guards: deriveGuards(partial),
    signals: deriveSignals(partial),
  };
  const placements = derivePlacements(partial);
  const layers = createLayers(context);
  const agentLayersOf = createAgentLayers(context);
  const listeners = new Set<(changed: ReadonlySet<Collection>, revision: number) => void>();
  let published = graph.transaction((tx) => {
    tx.set(mesh.tables.mesh, MESH_ROW, options.config);
    tx.set(mesh.tables.networks, MESH_ROW, options.networks);
  });

  const exports = createExportDefaults(options.config);
  const discovery = createDiscovery({
    tables: mesh.tables,
    config: options.config,
    scoping: options.features.enhancedScoping,
    original: exports.original,
  });
  const place = (tx: Transaction, { kind, key, object }: ObjectChange): void => {
    const table = tableOf(mesh.tables, kind);
    const settled = exports.settle(kind, key, object);
    if (settled === undefined) tx.delete(table, key);
    else tx.set(table, key, settled);
  };
  const write = (
    { mesh: config, networks, keySets = NO_KEY_SETS, credentials, objects = [] }: ChangeSet,
    moves: readonly ObjectChange[],
  ): number =>
    graph.transaction((tx) => {
      if (config !== undefined) tx.set(mesh.tables.mesh, MESH_ROW, config);
      for (const move of moves) place(tx, move);
      if (networks !== undefined) tx.set(mesh.tables.networks, MESH_ROW, networks);
      for (const [uri, keys] of keySets) tx.set(mesh.tables.keySets, uri, keys);
      for (const [key, found] of credentials ?? []) {
        if (found === undefined) tx.delete(mesh.credentials, key);
        else tx.set(mesh.credentials, key, found);
      }
      // Namespaces first: what else comes is in sight or not by their labels.
      for (const { kind, key, object } of objects) {
        if (kind !== "Namespace") continue;
        for (const move of discovery.label(key.slice(1), object?.meta.labels)) place(tx, move);
      }
      for (const change of objects) {
        const { kind, key, object } = change;
        place(tx, discovery.admits(kind, key, object) ? change : { kind, key, object: undefined });
      }
    });
  const original: Translation["original"] = (kind, key) =>
    exports.original(kind, key) ?? tableOf(mesh.tables, kind).peek(key);
  /** What a mesh configuration does to objects that are there: exported otherwise, in sight or not. */
  const movesBy = (config: MeshConfig | undefined): readonly ObjectChange[] => {
    if (config === undefined) return [];
    const exported = exports.adopt(config).map(placeOf).map(({ kind, key }) => ({
      kind,
      key,
      object: original(kind, key),
    }));
    return [...exported, ...discovery.adopt(config)];
  };
  // Layers that proxies moved away from, by the last publication and the one before.
  let leaving: (readonly Collection[])[] = [];
  let left: (readonly Collection[])[] = [];
  const linger = (layers: readonly Collection[]): void => void leaving.push(layers);
  const tidy = (): void => void graph.evict(options.keep ?? KEEP);
  const publish = (revision: number): number => {
    if (revision === published) return revision;
    for (const layers of left) for (const layer of layers) layer.release();
    left = leaving;
    leaving = [];
    const changed = graph.publish();
    published = revision;
    for (const listener of listeners) listener(changed, revision);
    tidy();
    return revision;
  };

  return {
    mesh,
    original,
    all: () => ({
      mesh: mesh.tables.mesh.peek(MESH_ROW) ?? options.config,
      networks: mesh.tables.networks.peek(MESH_ROW) ?? options.networks,
      keySets: rowsOf(mesh.tables.keySets),
      credentials: rowsOf(mesh.credentials),
      // Namespaces first: their labels tell what is in sight.
      objects: [
        ...TABLE_KINDS.toSorted((a, b) => Number(b === "Namespace") - Number(a === "Namespace"))
          .flatMap((kind) =>
            tableOf(mesh.tables, kind).keys().map((key) => ({
              kind,
              key,
              object: original(kind, key),
            }))
          ),
        ...discovery.aside(),
      ],
    }),
    apply: (changes) => publish(write(changes, movesBy(changes.mesh))),
    applyInPieces: async (changes, { millis, pause }) => {
      const { objects = [], ...rest } = changes;
      const moves = movesBy(changes.mesh);
      let revision = write(rest, moves.slice(0, PIECE));
      for (let at = PIECE; at < moves.length; at += PIECE) {
        await pause();
        revision = write({}, moves.slice(at, at + PIECE));
      }
      if (moves.length > 0) await pause();
      for (let at = 0; at < objects.length; at += PIECE) {
        if (at > 0) await pause();
        revision = write({ objects: objects.slice(at, at + PIECE) }, []);
      }
      if (revision === published) return revision;
      while (!graph.warm(millis)) await pause();
      return publish(graph.revision);
    },
    sees: discovery.sees,
    patches: layers.patches,
    tidy,
    wantedKeySets: (onChange) => graph.watch(context.guards.wantedKeySets, "all", onChange),
    source: {
      bind: (node, onRebind) =>
        takeSeat(context, placements, layers.of, agentLayersOf, node, onRebind, linger),
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

/** Rows of a table, by their keys. */
function rowsOf<V>(table: Input<V>): Map<string, V> {
  const rows = new Map<string, V>();
  for (const key of table.keys()) {
    const row = table.peek(key);
    if (row !== undefined) rows.set(key, row);
  }
  return rows;
}
