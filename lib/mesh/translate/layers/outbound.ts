/**
 * Outbound layers: of a namespace, of a locality, of a Sidecar.
 *
 * @module
 */
import {
  listenerMembers,
  type LocatedKey,
  type SidecarKey,
  sidecarKeys,
} from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import {
  type ClassBinding,
  type ClusterVariant,
  clusterVariantOf,
  clusterVariants,
  type ListenerVariant,
  listenerVariants,
} from "../context/mod.ts";
import { collection, type ImportNote } from "../resources/mod.ts";
import { egressMembers } from "../tables/mod.ts";
import type { LayerTables } from "./tables.ts";

/** The layers of a proxy's outbound resources. */
export interface OutboundLayers {
  readonly clusters: readonly Collection[];
  readonly endpoints: readonly Collection[];
  readonly listeners: readonly Collection[];
}

/** The variants of a proxy class. */
export interface Variants {
  readonly clusters: ClusterVariant;
  readonly listeners: ListenerVariant;
}

/** The note of a collection of imports of a Sidecar. */
export function imports(scope: SidecarKey): ImportNote {
  return { importedBy: scope };
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
export function namespaceLayers(
  tables: LayerTables,
  namespace: string,
  variants: Variants,
): OutboundLayers {
  const { indexes } = tables.context.mesh;
  const variant = variants.listeners;
  const { autoAddresses } = variant;
  const name = listenerVariants.encode(variant);
  return {
    clusters: clusterLayers(tables, namespace, variants.clusters),
    endpoints: endpointLayers(tables, namespace),
    listeners: [
      collection(tables, `listener/${name}/overlay/${namespace}`, () => ({
        members: {
          listFrom: [tables.overlayListeners, { autoAddresses, namespace }],
          codec: listenerMembers,
        },
        resources: tables.listeners.overlay,
        keyOf: (member) => ({ variant, namespace, ...member }),
      })),
      collection(tables, `listener/${name}/public`, () => ({
        members: {
          index: indexes.listenersSeenBy,
          buckets: [""],
        },
        resources: tables.listeners.base,
        keyOf: (member) => ({ variant, namespace: "", ...member }),
      })),
    ],
  };
}

/** The cluster layers of a namespace. */
export function clusterLayers(
  tables: LayerTables,
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

/** The endpoint layers of a namespace. */
export function endpointLayers(tables: LayerTables, namespace: string): Collection[] {
  const { scopes, indexes } = tables.context.mesh;
  return [
    collection(tables, `endpoint/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: tables.endpoints.overlay,
      keyOf: (host) => ({ namespace, host }),
    })),
    collection(tables, `endpoint/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: tables.endpoints.base,
      keyOf: (host) => ({ namespace: "", host }),
    })),
  ];
}

/** The proxies of a binding's locality. */
export function locatedKey({ cls, sidecar, locality }: ClassBinding): LocatedKey {
  return { namespace: cls.namespace, sidecar, locality };
}

/** The note of a locality layer: its hosts are imported where a Sidecar applies. */
export function localImports({ cls, sidecar }: ClassBinding): { readonly note?: ImportNote } {
  return sidecar === "" ? {} : { note: imports({ namespace: cls.namespace, sidecar }) };
}

/** Endpoints that proxies of a locality see differently from others of their namespace. */
export function localEndpoints(tables: LayerTables, binding: ClassBinding): Collection[] {
  const { cls: { namespace }, locality } = binding;
  if (locality === "") return [];
  const { hosts } = tables.context.mesh.localities;
  const key = locatedKey(binding);
  return [collection(tables, `endpoint/locality/${hosts.keyCodec.encode(key)}`, () => ({
    members: { listFrom: [hosts, key] },
    resources: tables.endpoints.local,
    keyOf: (host) => ({ namespace, host, locality }),
    ...localImports(binding),
  }))];
}

/**
 * Like {@link localEndpoints}, for clusters: those with other rules, and those that contain their
 * endpoints.
 */
export function localClusters(tables: LayerTables, binding: ClassBinding): Collection[] {
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

/** The layers of what a Sidecar imports. */
export function egressLayers(
  tables: LayerTables,
  scope: SidecarKey,
  variants: Variants,
): OutboundLayers {
  const { mesh } = tables.context;
  const { namespace } = scope;
  const name = sidecarKeys.encode(scope);
  const { autoAddresses } = variants.listeners;
  const clusterVariant = clusterVariants.encode(variants.clusters);
  const listenerVariant = listenerVariants.encode(variants.listeners);
  return {
    clusters: [collection(tables, `cluster/${clusterVariant}/egress/${name}`, () => ({
      members: { listFrom: [mesh.scopes.egressHosts, { ...scope, listener: undefined }] },
      resources: tables.clusters.base,
      keyOf: (host) => ({ variant: variants.clusters, namespace, host }),
      note: imports(scope),
    }))],
    endpoints: egressEndpoints(tables, scope),
    listeners: [collection(tables, `listener/${listenerVariant}/egress/${name}`, () => ({
      members: {
        listFrom: [tables.egress.listenerMembers, { autoAddresses, ...scope }],
        codec: egressMembers,
      },
      resources: tables.egressListeners,
      keyOf: (member) => ({ variant: variants.listeners, ...scope, member }),
    }))],
  };
}

/** Endpoints of the hosts that a Sidecar imports. */
export function egressEndpoints(tables: LayerTables, scope: SidecarKey): Collection[] {
  const { namespace } = scope;
  const name = sidecarKeys.encode(scope);
  return [collection(tables, `endpoint/egress/${name}`, () => ({
    members: {
      listFrom: [tables.context.mesh.scopes.egressHosts, { ...scope, listener: undefined }],
    },
    resources: tables.endpoints.base,
    keyOf: (host) => ({ namespace, host }),
    note: imports(scope),
  }))];
}
