/**
 * Results of computations: resources, collections of them, views over collections.
 *
 * @module
 */
import type { KeyCodec } from "../../../kit/key/mod.ts";
import type { Derived, Index } from "./tables.ts";

/** A named, encoded piece of configuration. Two resources are equal when name and version are. */
export interface Resource {
  /** Unique within its collection. */
  readonly name: string;
  /** Content hash of {@link bytes}; `""` only in a tombstone. */
  readonly version: string;
  /** The encoded message, shared by everyone who is sent it. Never written to. */
  readonly bytes: Uint8Array;
  /** Further names by which clients ask for it. */
  readonly aliases?: readonly string[];
  /** Names of resources with which it is sent to clients that ask for those on demand. */
  readonly partOf?: readonly string[];
  /** In an overlay: the resource of this name in the layers below is not visible. */
  readonly tombstone?: true;
}

/**
 * Source of a collection's members. `M` is the type of members, `B` of buckets, `L` of the key of a
 * derived list. The codec of listed members is that of the table of resources, or `text` with a
 * function `keyOf`, unless it is given.
 */
export type Members<M = string, B = string, L = string> =
  /** The union of index buckets; the list may itself be derived. */
  | { readonly index: Index<B, M>; readonly buckets: readonly B[] }
  | {
    readonly index: Index<B, M>;
    readonly bucketsFrom: readonly [Derived<readonly B[], L>, key: L];
  }
  /** A derived list. */
  | {
    readonly listFrom: readonly [Derived<readonly M[], L>, key: L];
    readonly codec?: KeyCodec<M>;
  }
  /** A fixed list. */
  | { readonly list: readonly M[]; readonly codec?: KeyCodec<M> };

/** Declaration of a collection. `K` is the type of the keys of the table of resources. */
export interface CollectionSpec<K = string, M = K, B = string, L = string> {
  readonly members: Members<M, B, L>;
  /** The resources of one member: the table's cell at `keyOf(member)`. Names must be unique across members; see {@link Collection.conflicts}. */
  readonly resources: Derived<readonly Resource[], K>;
  /** Not needed where members are the keys themselves. */
  keyOf?(member: M): K;
  /** Data of the declarer, available in {@link Collection.spec}; the engine does not use it. */
  readonly note?: unknown;
}

/** The name of a derived cell. */
export interface CellRef {
  readonly table: string;
  readonly key: string;
}

/** One line of a collection's log. */
export interface LogEntry {
  /** The revision whose publication made this change. */
  readonly revision: number;
  readonly name: string;
  /** The previous entry (or tombstone); `undefined` if there was none. */
  readonly before: Resource | undefined;
}

/**
 * A set of named resources that the engine keeps up to date: it gets the members that may have
 * changed, and checks only those. Current as of the last `Graph.publish`.
 */
export interface Collection {
  readonly name: string;
  /** Its declaration. */
  readonly spec: CollectionSpec<unknown, unknown, unknown, unknown>;
  get(name: string): Resource | undefined;
  readonly content: ReadonlyMap<string, Resource>;
  readonly size: number;
  /** Revision of the last publication that changed it. */
  readonly changedAt: number;
  /** Log entries with a revision later than `revision`, oldest first; `undefined` when the log was trimmed past it. */
  since(revision: number): readonly LogEntry[] | undefined;
  /**
   * The derived cell that the resource of a name (or its tombstone) comes from;
   * `Graph.origins` tells the rows behind it. `undefined` when nothing has the name.
   */
  cellOf(name: string): CellRef | undefined;
  /**
   * Names that several members claim: the member that sorts first is served, one
   * with a resource before one with a tombstone; the others are listed here.
   */
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
  /**
   * Counts users; a collection without users is an orphan and may be evicted. A collection is built
   * at first use, by the first publication after it was retained, or earlier by `Graph.prepare`.
   * After an eviction it is built again at the next use.
   */
  retain(): void;
  release(): void;
}

/** Changes in a view between two revisions. */
export interface Delta {
  readonly changed: readonly Resource[];
  readonly removed: readonly string[];
}

/** Layers over each other, the first wins: what one proxy class sees of one resource type. */
export interface View {
  readonly layers: readonly Collection[];
  /** Effective resource; tombstones and absence are both `undefined`. */
  get(name: string): Resource | undefined;
  /** The derived cell that the effective resource comes from; `undefined` when there is none to be seen. */
  cellOf(name: string): CellRef | undefined;
  /** All effective resources, in no particular order. */
  entries(): IterableIterator<Resource>;
  names(): IterableIterator<string>;
  readonly size: number;
  /** Greatest `changedAt` of the layers. */
  readonly changedAt: number;
  /**
   * The difference between the effective content at `revision` and now. Computed
   * once per (view, from, now) and shared. `undefined` when a log was trimmed.
   */
  since(revision: number): Delta | undefined;
  /** Effective resource as of an earlier revision; `null` when the log no longer tells. */
  at(revision: number, name: string): Resource | undefined | null;
  /** The difference between another view as of `revision` (its current content when the log is trimmed) and this view now. */
  diffFrom(other: View, revision: number): Delta;
}

/** Limits of retained entries without users; the least recently used are removed first. */
export interface Keep {
  readonly collections: number;
  readonly cells: number;
  /** Bytes of the resources that these hold (no bound when not given). Shared ones count where they are held. */
  readonly bytes?: number;
  /** Tables and collections, by name, of which nothing stays. */
  readonly never?: (name: string) => boolean;
}

/** Numbers of dropped entries. */
export interface Evicted {
  readonly collections: number;
  readonly cells: number;
  /** True if nothing above the limits is left. */
  readonly done: boolean;
}
