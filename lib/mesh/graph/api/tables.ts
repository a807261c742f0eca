/**
 * Tables and indexes, as their declarers and readers see them.
 *
 * @module
 */
import type { KeyCodec } from "../../../kit/key/mod.ts";

/** A table whose rows come from outside, or from feeds. */
export interface Input<V, K = string> {
  readonly name: string;
  readonly keyCodec: KeyCodec<K>;
  /** Untracked: for debug pages and tests. */
  peek(key: NoInfer<K>): V | undefined;
  /** Untracked: all keys, sorted by their texts. */
  keys(): readonly K[];
  /** Untracked: true if the row of the key comes from a feed and not from outside. */
  isFed(key: NoInfer<K>): boolean;
  readonly size: number;
}

/**
 * Rows of a table that are computed from others: groups, and the rows that each of them gives. A row
 * from outside wins over a fed row of its key; of two groups that give one key, the first feed's and
 * then the first group's row is written.
 */
export interface FeedOptions<V, K, G> {
  readonly name: string;
  /** The index whose bucket `all` has the groups. */
  readonly groups: Index<string, G>;
  /** The rows of a group, by key. It must not read collections. */
  readonly rows: Derived<ReadonlyMap<K, V>, G>;
}

/** A table computed on demand, one cell a key, memoised. */
export interface Derived<V, K = string> {
  readonly name: string;
  readonly keyCodec: KeyCodec<K>;
  /** Marks the table's value type; never set. */
  readonly _value?: V;
}

/** The codecs of an index: of the names of its buckets, and of their members. */
export interface IndexCodecs<B, M> {
  readonly bucket: KeyCodec<B>;
  readonly member: KeyCodec<M>;
}

/**
 * Buckets of members over an input table. A row may put any number of members
 * into any number of buckets; a member stays in a bucket while at least one row
 * puts it there (members are counted).
 */
export interface Index<B = string, M = string> {
  readonly name: string;
  readonly codecs: IndexCodecs<B, M>;
  /** Untracked: members of a bucket, sorted by their texts. */
  peek(bucket: NoInfer<B>): readonly M[];
}
