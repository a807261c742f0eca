/**
 * Tables and indexes, as those see them who declare and read them.
 *
 * @module
 */

/** A table whose rows come from outside. */
export interface Input<V> {
  readonly name: string;
  /** Untracked: for debug pages and tests. */
  peek(key: string): V | undefined;
  /** Untracked: all keys, sorted. */
  keys(): readonly string[];
  readonly size: number;
}

/** A table computed on demand, one cell a key, memoised. */
export interface Derived<V> {
  readonly name: string;
  /** Marks the table's value type; never set. */
  readonly _value?: V;
}

/**
 * Buckets of members over an input table. A row may put any number of members
 * into any number of buckets; a member stays in a bucket while at least one row
 * puts it there (members are counted).
 */
export interface Index {
  readonly name: string;
  /** Untracked: members of a bucket, sorted. */
  peek(bucket: string): readonly string[];
}
