/**
 * Named collections of resources, with the specification they were made from.
 *
 * @module
 */
import type { Collection, CollectionSpec, Graph } from "../../graph/mod.ts";

/** The collection of this name, made when it is first asked for. */
export function collection<K = string, M = K, B = string, L = string>(
  { context }: { readonly context: InGraph },
  name: string,
  spec: () => CollectionSpec<K, M, B, L>,
): Collection {
  return context.mesh.graph.collection(name, spec);
}

/** What tables and collections are created in. */
export interface InGraph {
  readonly mesh: { readonly graph: Graph };
}

/** Collections of what a Sidecar imports, with their scope `NS|sidecar`. */
const scopes = new WeakMap<Collection, string>();

/** Remembers that a collection holds what a Sidecar imports. */
export function importedBy(collection: Collection, scope: string): Collection {
  scopes.set(collection, scope);
  return collection;
}

/** The Sidecar scope whose imports a collection holds; `undefined` for none. */
export function scopeOf(collection: Collection): string | undefined {
  return scopes.get(collection);
}

/** Says of a collection with the same members that it stands for the same imports. */
export function copyScope(from: Collection, to: Collection): Collection {
  const scope = scopes.get(from);
  if (scope !== undefined) scopes.set(to, scope);
  return to;
}
