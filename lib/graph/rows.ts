/**
 * How computations read, and how rows are written.
 *
 * @module
 */
import type { Collection, Resource } from "./collections.ts";
import type { Derived, Index, Input } from "./tables.ts";

/**
 * What a computation may read. Every call is recorded as a dependency of the
 * cell being computed. The handle works for this computation only, and only
 * until the function returns; reading tables past it is refused.
 */
export interface Read {
  /** A row of an input table. `undefined` when there is none (the absence is a dependency too). */
  get<V>(table: Input<V>, key: string): V | undefined;
  /** A derived value. Throws a `DependencyFault` when that cell has a fault and no last good value. */
  get<V>(table: Derived<V>, key: string): V;
  /** Members of an index bucket, sorted, frozen. Depends on the bucket's membership only. */
  members(index: Index, bucket: string): readonly string[];
  /** Whether a bucket has members; changes only when that answer does. */
  any(index: Index, bucket: string): boolean;
  /**
   * The content of a collection, by name. Depends on the collection as a whole:
   * for values assembled from all of it (a route table of its virtual hosts).
   * The map is the live one, good for this computation only; returned as it is,
   * it is copied, but nothing else may hold on to it.
   */
  content(collection: Collection): ReadonlyMap<string, Resource>;
}

/** Changes to input tables, applied together. */
export interface Transaction {
  set<V>(table: Input<V>, key: string, row: V): void;
  delete<V>(table: Input<V>, key: string): void;
}

/** Options of a derived table. */
export interface DeriveOptions<V> {
  /** Early cut-off; default: structural equality of plain data, arrays, maps, byte arrays. */
  readonly equal?: (a: V, b: V) => boolean;
}
