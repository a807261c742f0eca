/**
 * Reading a graph from outside, for computations that are run once more to be
 * explained.
 *
 * @module
 */
import type { Collection, Derived, Graph, Index, Input, Read } from "../../graph/mod.ts";

/** Reads as of now, which nobody records. */
export function peekRead(graph: Graph): Read {
  function get<V>(table: Input<V>, key: string): V | undefined;
  function get<V>(table: Derived<V>, key: string): V;
  function get<V>(table: Input<V> | Derived<V>, key: string): V | undefined {
    return "peek" in table ? table.peek(key) : graph.peek(table, key);
  }
  return {
    get,
    members: (index: Index, bucket: string) => index.peek(bucket),
    any: (index: Index, bucket: string) => index.peek(bucket).length > 0,
    content: (collection: Collection) => collection.content,
  };
}
