/**
 * Named collections of resources, with the specification they were made from.
 *
 * @module
 */
import type { Collection, CollectionSpec, Graph } from "../../graph/mod.ts";

/** How the collections of a graph are made. */
const specs = new WeakMap<Collection, () => CollectionSpec>();

/** A collection of a graph of which there can be a twin. */
export function namedCollection(
  graph: Graph,
  name: string,
  spec: () => CollectionSpec,
): Collection {
  const collection = graph.collection(name, spec);
  if (!specs.has(collection)) specs.set(collection, spec);
  return collection;
}

/** How a collection was made; `undefined`: of it there is no twin. */
export function specOf(collection: Collection): (() => CollectionSpec) | undefined {
  return specs.get(collection);
}

/** The collection of this name, made when it is first asked for. */
export function collection(
  { context }: { readonly context: InGraph },
  name: string,
  spec: () => CollectionSpec,
): Collection {
  return namedCollection(context.mesh.graph, name, spec);
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
