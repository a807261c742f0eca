/**
 * Tables of resources, and tables in layers: base, namespace overlay, locality.
 *
 * @module
 */
import type { Derived, Graph, KeyCodec, Read, Resource } from "../../graph/mod.ts";
import type { AtLocality } from "./keys.ts";
import { differences, sameResources } from "./resource.ts";

/** A derived table of encoded resources. Its aliases below say of which type. */
export type ResourceTable<K = string> = Derived<readonly Resource[], K>;

/** A table of clusters (CDS). */
export type ClusterTable<K = string> = ResourceTable<K>;

/** A table of endpoint assignments (EDS). */
export type EndpointTable<K = string> = ResourceTable<K>;

/** A table of listeners (LDS). */
export type ListenerTable<K = string> = ResourceTable<K>;

/** A table of route configurations (RDS). */
export type RouteTable<K = string> = ResourceTable<K>;

/** A table of virtual hosts (VHDS), or of the virtual hosts that route configurations contain. */
export type VirtualHostTable<K = string> = ResourceTable<K>;

/** A table of secrets (SDS). */
export type SecretTable<K = string> = ResourceTable<K>;

/** Computes the resources of a key. */
export type ResourcesOf<K> = (read: Read, key: K) => readonly Resource[];

/** Creates a table of resources; a value that equals the old one changes nothing. */
export function resourceTable<K>(
  graph: Graph,
  name: string,
  codec: KeyCodec<K>,
  compute: ResourcesOf<K>,
): ResourceTable<K> {
  return graph.derive<readonly Resource[], K>(name, codec, compute, { equal: sameResources });
}

/** A key with a namespace; `""` is the view of all namespaces. */
export interface Namespaced {
  readonly namespace: string;
}

/** Tables of resources as namespaces see them. */
export interface Layered<K extends Namespaced> {
  /** The resources that a namespace sees; `""`: the ones that all namespaces see. */
  readonly base: ResourceTable<K>;
  /** The resources of a namespace that differ from the ones that all namespaces see. */
  readonly overlay: ResourceTable<K>;
}

/** With the resources that differ from those of the namespace for proxies of one locality. */
export interface ByLocality<K extends Namespaced> extends Layered<K> {
  readonly local: ResourceTable<AtLocality<K>>;
}

/**
 * The overlay of a table: the resources of a namespace that differ from the ones
 * that all namespaces see. A member that only the namespace sees is in it as a whole. A name that one
 * member hides may come from another member: a resource goes before a tombstone.
 *
 * @param compute how the table computes a cell, where that is little work: an overlay then has no
 * cell of the table beside its own
 */
export function overlayOf<K extends Namespaced>(
  { mesh }: { readonly mesh: { readonly graph: Graph } },
  name: string,
  base: ResourceTable<K>,
  compute: ResourcesOf<K> = (read, key) => read.follow<readonly Resource[], K>(base, key),
): ResourceTable<K> {
  return resourceTable(mesh.graph, name, base.keyCodec, (read, key) => {
    const shared: K = { ...key, namespace: "" };
    return differences(compute(read, key), read.get<readonly Resource[], K>(base, shared));
  });
}
