/**
 * Reading by computations, and writing of rows.
 *
 * @module
 */
import type { Decision, DecisionLog, Parts } from "../../../kit/base/mod.ts";
import type { KeyCodec } from "../../../kit/key/mod.ts";
import type { Collection, Resource } from "./collections.ts";
import type { Derived, Index, Input } from "./tables.ts";

/** A value with the decisions that its computation made. */
export interface Explained<V> {
  readonly value: V;
  /** Each once, in the order in which they were made. */
  readonly decisions: readonly Decision[];
}

/**
 * The reads that a computation may do. Every call is recorded as a dependency of the computed cell.
 * The handle works only for this computation, and only until the function returns; reading tables
 * without it is refused.
 *
 * It is also the computation's decision log: `decide` is set only while the value is explained. It
 * divides the computation into parts where {@link Graph.warm} and {@link Graph.prepare} compute ahead.
 */
export interface Read extends DecisionLog, Parts {
  /** A row of an input table. `undefined` when there is none (the absence is a dependency too). */
  get<V, K>(table: Input<V, K>, key: NoInfer<K>): V | undefined;
  /** A derived value. Throws a `DependencyFault` when that cell has a fault and no last good value. */
  get<V, K>(table: Derived<V, K>, key: NoInfer<K>): V;
  /**
   * Like `get`; the decisions of that cell become decisions of this computation, too. For values
   * that become a part of this one.
   */
  follow<V, K>(table: Derived<V, K>, key: NoInfer<K>): V;
  /**
   * While a value is explained: the names of the parts whose decisions are asked for. The decisions about
   * other parts may be left out. Unset: all are asked for.
   */
  readonly asked?: ReadonlySet<string>;
  /**
   * Computes a derived value here and now, with its decisions. For values that
   * carry the reasons for them; all others read by `get` or `follow`.
   */
  explain<V, K>(table: Derived<V, K>, key: NoInfer<K>): Explained<V>;
  /** Members of an index bucket, sorted by their texts. Depends on the bucket's membership only. */
  members<B, M>(index: Index<B, M>, bucket: NoInfer<B>): readonly M[];
  /** True if a bucket has members; changes only when that answer does. */
  any<B, M>(index: Index<B, M>, bucket: NoInfer<B>): boolean;
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
  set<V, K>(table: Input<V, K>, key: NoInfer<K>, row: V): void;
  delete<V, K>(table: Input<V, K>, key: NoInfer<K>): void;
}

/** Options of a derived table. */
export interface DeriveOptions<V> {
  /** Early cut-off; default: structural equality of plain data, arrays, maps, byte arrays. */
  readonly equal?: (a: V, b: V) => boolean;
}

/** Options of an input table. */
export interface InputOptions<V, K> {
  /** Rows that are equal are not written; default: structural equality. */
  readonly equal?: (a: V, b: V) => boolean;
  readonly key: KeyCodec<K>;
}
