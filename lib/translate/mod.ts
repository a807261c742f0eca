/**
 * From the mesh to what each proxy class is served: encoded, named, versioned by
 * content, in layers that classes share. No clock, no network, no files.
 *
 * @module
 */
import {
  createMesh,
  type KeySet,
  type Mesh,
  MESH_ROW,
  type TableKind,
  tableOf,
} from "../derive/mod.ts";
import type { Collection, Graph } from "../graph/mod.ts";
import type { ConfigObject, SeatSource } from "../model/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Features } from "./features.ts";
import { deriveGuards } from "./guards.ts";
import { createLayers, TYPE_URLS } from "./layers.ts";
import { deriveClasses, derivePlacements, takeSeat } from "./seats.ts";

export type { Features } from "./features.ts";
export { TYPE_URLS } from "./layers.ts";

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
  readonly objects?: readonly ObjectChange[];
  readonly mesh?: MeshConfig;
  readonly networks?: MeshNetworks;
}

/** Translation at work over a graph. */
export interface Translation {
  readonly mesh: Mesh;
  /** What serving takes its seats from. */
  readonly source: SeatSource;
  /** Addresses of key sets that this program should fetch; calls back, during a publication, when they are others. */
  wantedKeySets(
    onChange: (uris: readonly string[]) => void,
  ): { readonly value: readonly string[]; close(): void };
  /** Applies changes in one transaction and publishes what came out of them; returns the revision. */
  apply(changes: ChangeSet): number;
}

/** What stays in memory of what nobody asks for any more. */
const KEEP = { collections: 64, cells: 20_000 } as const;

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
  },
): Translation {
  const mesh = createMesh(graph, {
    domain: options.domain,
    selectorsForApiGateways: options.features.selectorsForApiGateways,
  });
  const partial = { mesh, features: options.features, clusterId: options.clusterId };
  const context = { ...partial, classes: deriveClasses(partial), guards: deriveGuards(partial) };
  const placements = derivePlacements(partial);
  const layersOf = createLayers(context);
  const listeners = new Set<(changed: ReadonlySet<Collection>, revision: number) => void>();
  let published = graph.transaction((tx) => {
    tx.set(mesh.tables.mesh, MESH_ROW, options.config);
    tx.set(mesh.tables.networks, MESH_ROW, options.networks);
  });

  const apply = (changes: ChangeSet): number => {
    const revision = graph.transaction((tx) => {
      if (changes.mesh !== undefined) tx.set(mesh.tables.mesh, MESH_ROW, changes.mesh);
      if (changes.networks !== undefined) tx.set(mesh.tables.networks, MESH_ROW, changes.networks);
      for (const [uri, keys] of changes.keySets ?? []) tx.set(mesh.tables.keySets, uri, keys);
      for (const { kind, key, object } of changes.objects ?? []) {
        const table = tableOf(mesh.tables, kind);
        if (object === undefined) tx.delete(table, key);
        else tx.set(table, key, object);
      }
    });
    if (revision === published) return revision;
    const changed = graph.publish();
    published = revision;
    for (const listener of listeners) listener(changed, revision);
    graph.evict(KEEP);
    return revision;
  };

  return {
    mesh,
    apply,
    wantedKeySets: (onChange) => graph.watch(context.guards.wantedKeySets, "all", onChange),
    source: {
      seat: (node, onMove) => takeSeat(context, placements, layersOf, node, onMove),
      onPublish: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      get revision() {
        return published;
      },
    },
  };
}

/** Short names of the types served, for logs and metrics. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  [TYPE_URLS.cluster]: "cds",
  [TYPE_URLS.endpoint]: "eds",
  [TYPE_URLS.listener]: "lds",
  [TYPE_URLS.route]: "rds",
  [TYPE_URLS.virtualHost]: "vhds",
  [TYPE_URLS.secret]: "sds",
};
