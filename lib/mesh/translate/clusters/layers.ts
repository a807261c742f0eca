/**
 * Layers of clusters: of a class, of a namespace, of a locality, of a Sidecar.
 *
 * @module
 */
import { type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import {
  type ClassBinding,
  type ClusterVariant,
  clusterVariantOf,
  clusterVariants,
  imports,
  localImports,
  locatedKey,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ByLocality, collection } from "../resources/mod.ts";
import type { ClusterKey } from "./keys.ts";
import type { ClassClusters } from "./of_classes.ts";

/** The tables that layers of clusters are made of. */
export interface ClusterLayerTables {
  readonly context: Context;
  readonly clusters: ByLocality<ClusterKey>;
  readonly classClusters: ClassClusters;
}

/** The clusters of a sidecar's workload. */
export function sidecarClusterLayer(
  tables: ClusterLayerTables,
  { cls }: ClassBinding,
): Collection {
  return collection(tables, `cluster/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: tables.classClusters.sidecars,
  }));
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
export function clusterLayers(
  tables: ClusterLayerTables,
  namespace: string,
  variant: ClusterVariant,
): Collection[] {
  const { scopes, indexes } = tables.context.mesh;
  const name = clusterVariants.encode(variant);
  return [
    collection(tables, `cluster/${name}/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: tables.clusters.overlay,
      keyOf: (host) => ({ variant, namespace, host }),
    })),
    collection(tables, `cluster/${name}/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: tables.clusters.base,
      keyOf: (host) => ({ variant, namespace: "", host }),
    })),
  ];
}

/**
 * Clusters that proxies of a locality see differently from others of their namespace: those with
 * other rules, and those that contain their endpoints.
 */
export function localClusters(tables: ClusterLayerTables, binding: ClassBinding): Collection[] {
  const { cls, locality } = binding;
  if (locality === "") return [];
  const { namespace } = cls;
  const { clusterHosts } = tables.context.mesh.localities;
  const key = locatedKey(binding);
  const name = clusterHosts.keyCodec.encode(key);
  const variant = clusterVariantOf(cls);
  return [collection(tables, `cluster/${clusterVariants.encode(variant)}/placed/${name}`, () => ({
    members: { listFrom: [clusterHosts, key] },
    resources: tables.clusters.local,
    keyOf: (host) => ({ variant, namespace, host, locality }),
    ...localImports(binding),
  }))];
}

/** Clusters of the hosts that a Sidecar imports. */
export function egressClusters(
  tables: ClusterLayerTables,
  scope: SidecarKey,
  variant: ClusterVariant,
): Collection[] {
  const { namespace } = scope;
  const name = sidecarKeys.encode(scope);
  return [collection(tables, `cluster/${clusterVariants.encode(variant)}/egress/${name}`, () => ({
    members: {
      listFrom: [tables.context.mesh.scopes.egressHosts, { ...scope, listener: undefined }],
    },
    resources: tables.clusters.base,
    keyOf: (host) => ({ variant, namespace, host }),
    note: imports(scope),
  }))];
}
