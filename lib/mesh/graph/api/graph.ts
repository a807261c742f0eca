/**
 * The engine's public types. `mod.ts` describes them. The law of the engine: after any sequence of
 * transactions, every derived value, index and collection equals what a new graph computes from the
 * same rows (except cells with a fault, which keep their last good value and are listed).
 *
 * @module
 */
import type {
  AuditOptions,
  AuditResult,
  Costs,
  Dependency,
  Edit,
  Fault,
  Stats,
} from "./answers.ts";
import type { CellRef, Collection, CollectionSpec, Evicted, Keep, View } from "./collections.ts";
import type { KeyCodec } from "../../../kit/key/mod.ts";
import type { DeriveOptions, Explained, InputOptions, Read, Transaction } from "./rows.ts";
import type { Derived, FeedOptions, Index, IndexCodecs, Input } from "./tables.ts";

/** Options of {@link Graph}. */
export interface GraphOptions {
  /** Milliseconds with fractions, for the cost ledger; the engine has no clock of its own. */
  readonly now?: () => number;
  /** Log entries kept per collection before the oldest are trimmed (default 4096). */
  readonly logLimit?: number;
  /**
   * Bytes of the logs of all collections together, with the superseded resources they
   * hold, before the oldest revisions are trimmed (default 32 MiB). Those of the publication at
   * hand stay in any case.
   */
  readonly logBytes?: number;
  /** Edited rows kept before the oldest are trimmed (default 16384). */
  readonly editLimit?: number;
  /** Input rows of which the cost is kept (default 4096). */
  readonly costLimit?: number;
  /**
   * When feeds write their rows: `at once` with each transaction (default); `ahead`: in the pieces of
   * `warm`, the rest by the publication.
   */
  readonly feeds?: "at once" | "ahead";
  /**
   * Called once for each new fault, and with `undefined` when it heals or is
   * evicted; after the operation that found out, so that it may use the graph.
   */
  readonly onFault?: (table: string, key: string, fault: Fault | undefined) => void;
}

/** The engine. */
export interface Graph {
  /** Revision of the last transaction. */
  readonly revision: number;
  /**
   * Revision of the last publication: the position of a reader that has taken everything that is
   * there now, for a later call of `since`. (`revision` may be ahead of it.)
   */
  readonly published: number;
  /** Declares a table of rows. Without a codec its keys are text. */
  input<V, K>(name: string, options: InputOptions<V, K>): Input<V, K>;
  input<V>(name: string, options?: Omit<InputOptions<V, string>, "key">): Input<V>;
  /** Declares an index over a table, with the codecs of its buckets and members. */
  index<V, K, B, M>(
    table: Input<V, K>,
    name: string,
    codecs: IndexCodecs<B, M>,
    bucketsOf: (row: V, key: K) => Iterable<readonly [bucket: B, member: M]>,
  ): Index<B, M>;
  /** Declares a table of computed values, with the codec of its keys. */
  derive<V, K>(
    name: string,
    key: KeyCodec<K>,
    compute: (read: Read, key: K) => V,
    options?: DeriveOptions<V>,
  ): Derived<V, K>;
  /**
   * Lets derived rows flow into an input table, which may have indexes and be read by the groups of
   * further feeds. Fed rows are no edits: `origins` and `causes` lead through them to the rows from
   * outside that they were computed from, and `blast` leads on to what reads them.
   */
  feed<V, K, G>(target: Input<V, K>, options: FeedOptions<V, NoInfer<K>, G>): void;
  /** The collection of this name; made on first call, the same object afterwards. */
  collection<K = string, M = K, B = string, L = string>(
    name: string,
    spec: () => CollectionSpec<K, M, B, L>,
  ): Collection;
  /** The view of these layers; the same object for the same layers. */
  view(layers: readonly Collection[]): View;
  /**
   * Applies changes: revision r to r+1. Rows equal to the old ones change
   * nothing. Returns the new revision (the old one when nothing changed); feeds write theirs in
   * revisions after it. When
   * `change` throws, nothing is applied. Not possible inside another transaction,
   * a publication or a computation.
   */
  transaction(change: (tx: Transaction) => void): number;
  /**
   * Computes cells that the next publication will read, for about `millis`
   * milliseconds (without a limit when the graph has no clock). It has no visible
   * effect. Returns true when nothing is left to compute ahead. Edits may come
   * between two calls and make the work useless. The content of collections is
   * assembled by the publication itself.
   */
  warm(millis: number): boolean;
  /**
   * Builds retained collections that are not built yet, for about `millis`
   * milliseconds; returns true when none is left. The first read of such a
   * collection builds the rest of it in one piece. Edits and publications may
   * come between two calls; a publication does not continue the build.
   */
  prepare(millis: number): boolean;
  /**
   * Computes a value ahead of a first `peek` or `watch` of it, for about `millis` milliseconds; returns
   * true when it is computed. The value is computed in the parts that its computation has.
   */
  advance<V, K>(table: Derived<V, K>, key: NoInfer<K>, millis: number): boolean;
  /**
   * Brings every collection up to date with the current revision and appends to
   * their logs. Returns those that changed. Sessions look only after this.
   */
  publish(): ReadonlySet<Collection>;
  /**
   * Input rows that really changed in transactions later than `sinceRevision`,
   * oldest first; a row edited in several transactions is listed for each.
   * `undefined` when some of them were trimmed.
   */
  edits(sinceRevision: number): readonly Edit[] | undefined;
  /**
   * Revision of the first publication that an edit of this revision was out with;
   * `undefined` when there was none yet, or it is too long ago (as many
   * publications are remembered as edits).
   */
  publishedWith(revision: number): number | undefined;
  /**
   * Returns the edits of the last publication that changed or removed the resource of a name in a
   * collection: those for which its cell was computed again (through any number of changed cells,
   * by what they read before and after), and those that added or removed its member. Valid until
   * the next transaction: call it during the notification of a publication. For a row edited
   * several times, the last edit is returned. Empty if the publication did not change the resource.
   * If too much changed to trace (thousands of cells behind one resource), all edits of the
   * publication.
   */
  causes(collection: Collection, name: string): readonly Edit[];
  /** Everything that can be audited: derived cells, and collections under the empty key. Goes on while the graph changes. */
  auditable(): IterableIterator<CellRef>;
  /**
   * Computes a cell or collection again without using stored values, and compares it and its inputs
   * with the stored ones. Records nothing and changes nothing, unless it is to repair.
   */
  audit(table: string, key: string, options?: AuditOptions): AuditResult;
  /**
   * Returns computation costs. `top` limits the listed cells of each table (default 10); `keys`
   * selects single keys.
   */
  costs(options?: { readonly top?: number; readonly keys?: readonly string[] }): Costs;
  /**
   * Untracked read of a derived value, as of the current revision: for
   * controllers, debug pages, tests. Throws a `DependencyFault` when the cell has
   * a fault and no last good value.
   */
  peek<V, K>(table: Derived<V, K>, key: NoInfer<K>): V;
  /**
   * Computes a cell again, untracked, for the decisions that it makes; `undefined`
   * when no derived table has the name. Throws what the computation throws.
   *
   * @param asked names of the parts whose decisions are asked for; default: all
   */
  explain(cell: CellRef, asked?: ReadonlySet<string>): Explained<unknown> | undefined;
  /**
   * Keeps a derived cell watched: `onChange` runs during `publish` when its value
   * changed. For what is not a collection (which layers a class has).
   */
  watch<V, K>(
    table: Derived<V, K>,
    key: NoInfer<K>,
    onChange: (value: V) => void,
  ): { readonly value: V; close(): void };
  /**
   * A derived value that is read again and again, untracked. `stale` is called in a transaction, once,
   * when the value may have changed since it was read last. It must not read, and must not throw.
   */
  tap<V, K>(
    table: Derived<V, K>,
    key: NoInfer<K>,
    stale: () => void,
  ): { read(): V; close(): void };
  /** Direct dependencies of a cell, in the order they were read. */
  why(table: string, key: string): readonly Dependency[];
  /** Input rows a cell depends on, through any number of cells, as `table/key`. */
  origins(table: string, key: string): readonly string[];
  /** Cells and collections that depend on an input row or cell, through any number of cells. */
  blast(table: string, key: string): readonly Dependency[];
  /**
   * Untracked: the cells of derived tables that are kept, tables in the order in
   * which they were declared, so that a cell mostly comes after those it reads.
   * Walked as it goes: what is made meanwhile may be left out. For a second graph
   * that is to be as warm as this one.
   */
  cells(): IterableIterator<readonly [table: string, key: string]>;
  faults(): readonly Fault[];
  stats(): Stats;
  resetStats(): void;
  /**
   * Drops orphaned collections and unread cells above the limits, for about `millis` milliseconds
   * (default: all of them).
   */
  evict(keep: Keep, millis?: number): Evicted;
  /** Everything, as plain JSON: tables with keys, generations, dependencies; values only when asked. */
  dump(options?: { readonly values?: boolean }): unknown;
}
