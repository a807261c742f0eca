/**
 * Named collections of resources.
 *
 * @module
 */
import type { Collection, CollectionSpec, Graph } from "../../graph/mod.ts";

/** The graph that tables and collections are created in. */
export interface InGraph {
  readonly mesh: { readonly graph: Graph };
}

/** A note on a collection whose members a Sidecar imports; see `provenance`. */
export interface ImportNote {
  /** The Sidecar, and the namespace of its workload. */
  readonly importedBy: { readonly namespace: string; readonly sidecar: string };
}

/** The collection of this name; it is created when it is first used. */
export function collection<K = string, M = K, B = string, L = string>(
  { context }: { readonly context: InGraph },
  name: string,
  spec: () => CollectionSpec<K, M, B, L>,
): Collection {
  return context.mesh.graph.collection<K, M, B, L>(name, spec);
}

/** The note of a collection whose members a Sidecar imports; `undefined` for other collections. */
export function importNoteOf({ spec }: Collection): ImportNote | undefined {
  const { note } = spec;
  return typeof note === "object" && note !== null && "importedBy" in note
    ? note as ImportNote
    : undefined;
}
