/**
 * The engine's public shapes. What they mean is told in `mod.ts`; the law they
 * obey: after any sequence of transactions, every derived value, index and
 * collection equals what a fresh graph computes from the same rows (cells with
 * a fault excepted, which keep their last good value and are listed).
 *
 * @module
 */

/** A named, encoded piece of configuration. Two resources are equal when name and version are. */
export interface Resource {
  /** Unique within its collection. */
  readonly name: string;
  /** Content hash of {@link bytes}; `""` only in a tombstone. */
  readonly version: string;
  /** The encoded message, shared by everyone who is sent it. Never written to. */
  readonly bytes: Uint8Array;
  /** In an overlay: the resource of this name in the layers below is not visible. */
  readonly tombstone?: true;
}

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

/** Where the members of a collection come from. */
export type Members =
  /** The union of index buckets; the list may itself be derived. */
  | { readonly index: Index; readonly buckets: readonly string[] }
  | {
    readonly index: Index;
    readonly bucketsFrom: readonly [Derived<readonly string[]>, key: string];
  }
  /** A derived list. */
  | { readonly listFrom: readonly [Derived<readonly string[]>, key: string] }
  /** A fixed list. */
  | { readonly list: readonly string[] };

/** How a collection is made. */
export interface CollectionSpec {
  readonly members: Members;
  /** The resources of one member: the table's cell at `keyOf(member)`. Names must be unique across members; see {@link Collection.conflicts}. */
  readonly resources: Derived<readonly Resource[]>;
  readonly keyOf?: (member: string) => string;
}

/** The name of a derived cell. */
export interface CellRef {
  readonly table: string;
  readonly key: string;
}

/** An input row that a transaction really changed. */
export interface Edit {
  /** The transaction's. It is out with the first publication of that revision or a later one. */
  readonly revision: number;
  readonly table: string;
  readonly key: string;
  readonly kind: "set" | "delete";
}

/** One line of a collection's log. */
export interface LogEntry {
  /** The revision whose publication made this change. */
  readonly revision: number;
  readonly name: string;
  /** What stood there before (a tombstone counts); `undefined` when nothing did. */
  readonly before: Resource | undefined;
}

/**
 * A set of named resources, kept up to date by the engine: it is told which
 * members may have changed, and looks at those only. Current as of the last
 * {@link Graph.publish}.
 */
export interface Collection {
  readonly name: string;
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
   * Counts users; a collection without users is an orphan and may be evicted. A
   * collection is built at first use, or by the first publication after it was
   * retained, or before both by {@link Graph.prepare}. One that is used after its
   * eviction is built anew.
   */
  retain(): void;
  release(): void;
}

/** What changed in a view between two revisions. */
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

/** Changes to input tables, applied together. */
export interface Transaction {
  set<V>(table: Input<V>, key: string, row: V): void;
  delete<V>(table: Input<V>, key: string): void;
}

/** A cell that threw. */
export interface Fault {
  readonly table: string;
  readonly key: string;
  readonly error: unknown;
  /** Revision at which it first threw since it last worked. */
  readonly since: number;
  /** Whether a last good value is being used. */
  readonly lastGood: boolean;
  /**
   * Input rows read before it threw, through any number of cells, as `table/key`;
   * the nearest where there are more than a thousand. `Graph.origins` tells all.
   */
  readonly inputs: readonly string[];
}

/** One reason in the answer to "why". */
export interface Dependency {
  readonly table: string;
  readonly key: string;
  readonly kind: "input" | "derived" | "bucket" | "collection";
  readonly changedAt: number;
}

/** Counters since the start (or since `resetStats`). */
export interface Stats {
  readonly revision: number;
  readonly published: number;
  readonly rows: number;
  readonly cells: number;
  /** Computations run, in all and by table. */
  readonly computed: number;
  readonly computedByTable: Readonly<Record<string, number>>;
  /** Microseconds spent computing (own time, without the cells read inside), by table; 0 when no clock was given. */
  readonly microsByTable: Readonly<Record<string, number>>;
  /** Computations whose result equalled the old one. */
  readonly cutOff: number;
  readonly faults: number;
  /** Bytes of the resources in all collections that are built. */
  readonly bytes: number;
  /** Bytes of the superseded resources that the collections' logs hold. */
  readonly logged: number;
  /** What nobody uses and is kept, see {@link Keep}. */
  readonly idle: { readonly collections: number; readonly cells: number; readonly bytes: number };
  /** Cells and collections evicted. */
  readonly evicted: number;
  /** Of tables of resources: cells made, and cells that were idle and are used again. */
  readonly reuse: Readonly<Record<string, { readonly made: number; readonly revived: number }>>;
  /** Input rows that some cell has read. */
  readonly rowsRead: number;
}

/** What one cell has cost since it was made. */
export interface CellCost {
  readonly key: string;
  /** Own time, without the cells read inside. */
  readonly micros: number;
  /** Computations run. */
  readonly computed: number;
}

/** What a derived table has cost (since `resetStats`), and which of its present cells cost most. */
export interface TableCost {
  readonly table: string;
  readonly cells: number;
  readonly micros: number;
  readonly computed: number;
  /** The dearest first. */
  readonly top: readonly CellCost[];
}

/** What the edits of one input row have cost. */
export interface InputCost {
  readonly table: string;
  readonly key: string;
  /** Publications that an edit of it was out with. */
  readonly publications: number;
  /** Its share of the time computed from those edits to their publications. */
  readonly micros: number;
  /** Its share of the computations, a fraction where rows were edited together. */
  readonly computed: number;
}

/** The cost ledger. All lists begin with the dearest. */
export interface Costs {
  readonly tables: readonly TableCost[];
  /**
   * The marginal cost of edits: the work between the first edit after a publication
   * and the next publication, in equal parts to the rows edited. At most as many
   * as `costLimit`; the cheapest are forgotten first.
   */
  readonly inputs: readonly InputCost[];
  /** Of the keys that were asked for: what their cells have cost in all tables together. */
  readonly keys: readonly CellCost[];
  /** Work that no edit stands behind: for proxies that connect, and for questions. */
  readonly unattributed: { readonly micros: number; readonly computed: number };
}

/** What may stay although nobody uses it; the longest forgotten goes first. */
export interface Keep {
  readonly collections: number;
  readonly cells: number;
  /** Bytes of the resources that these hold (no bound when not given). Shared ones count where they are held. */
  readonly bytes?: number;
  /** Tables and collections, by name, of which nothing stays. */
  readonly never?: (name: string) => boolean;
}

/** Bounds of an audit. */
export interface AuditOptions {
  /** Put right what is wrong, with a revision of its own: to be published by the caller. */
  readonly repair?: boolean;
  /** Computations it may take (default 200), and milliseconds, if the graph has a clock. */
  readonly computations?: number;
  readonly millis?: number;
}

/** What an audit has found. */
export interface AuditResult extends CellRef {
  /** `skipped`: it could not be told, see `reason`. */
  readonly outcome: "right" | "wrong" | "repaired" | "skipped";
  /** `out of date`: waits to be computed. `fault`: something below failed, which the law excepts. */
  readonly reason?: "out of date" | "fault" | "too large";
  /**
   * What was believed. `rows`: nothing else. `neighbours`, where all the way down
   * was too far: what the cell reads, as it stands, to be audited in its turn.
   */
  readonly from: "rows" | "neighbours";
  /** Computations run. */
  readonly computed: number;
  /** The cells below that are wrong, it itself included; a collection by an empty key. */
  readonly wrong: readonly CellRef[];
}

/** Options of {@link Graph}. */
export interface GraphOptions {
  /** Milliseconds with fractions, for the cost ledger; the engine has no clock of its own. */
  readonly now?: () => number;
  /** Log entries kept per collection before the oldest are trimmed (default 4096). */
  readonly logLimit?: number;
  /**
   * Bytes of superseded resources in the logs of all collections together before
   * the oldest revisions are trimmed (default 64 MiB). Those of the publication at
   * hand stay in any case.
   */
  readonly logBytes?: number;
  /** Edited rows kept before the oldest are trimmed (default 16384). */
  readonly editLimit?: number;
  /** Input rows of which the cost is kept (default 4096). */
  readonly costLimit?: number;
  /**
   * Called once for each new fault, and with `undefined` when it heals or is
   * evicted; after the operation that found out, so that it may use the graph.
   */
  readonly onFault?: (table: string, key: string, fault: Fault | undefined) => void;
}

/** Options of a derived table. */
export interface DeriveOptions<V> {
  /** Early cut-off; default: structural equality of plain data, arrays, maps, byte arrays. */
  readonly equal?: (a: V, b: V) => boolean;
}

/** The engine. */
export interface Graph {
  /** Revision of the last transaction. */
  readonly revision: number;
  /**
   * Revision of the last publication: the position of whoever has taken what is
   * there now, to be handed to `since` later. (`revision` may be ahead of it.)
   */
  readonly published: number;
  input<V>(name: string, options?: { readonly equal?: (a: V, b: V) => boolean }): Input<V>;
  index<V>(
    table: Input<V>,
    name: string,
    place: (row: V, key: string) => Iterable<readonly [bucket: string, member: string]>,
  ): Index;
  derive<V>(
    name: string,
    compute: (read: Read, key: string) => V,
    options?: DeriveOptions<V>,
  ): Derived<V>;
  /** The collection of this name; made on first call, the same object afterwards. */
  collection(name: string, spec: () => CollectionSpec): Collection;
  /** The view of these layers; the same object for the same layers. */
  view(layers: readonly Collection[]): View;
  /**
   * Applies changes: revision r to r+1. Rows equal to the old ones change
   * nothing. Returns the new revision (the old one when nothing changed). When
   * `change` throws, nothing is applied. Not possible inside another transaction,
   * a publication or a computation.
   */
  transaction(change: (tx: Transaction) => void): number;
  /**
   * Works ahead of the next publication for about so many milliseconds (all of it
   * when the graph has no clock): computes what it will ask for, and changes
   * nothing that can be seen. Returns whether nothing is left that can be done
   * ahead. Edits may come between two calls, or not be followed by any: that is
   * work in vain, and nothing else. What assembles the content of collections
   * waits for the publication itself.
   */
  warm(millis: number): boolean;
  /**
   * Builds collections that are retained and not built yet, for about so many
   * milliseconds; returns whether nothing is left. The first look at such a
   * collection would build what is left of it in one piece. Edits and publications may
   * come between two calls; publications leave to the next call what the last one left.
   */
  prepare(millis: number): boolean;
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
   * The edits of the last publication that made the resource of a name in a
   * collection what it is now, or made it go: those which its cell was computed
   * anew for (through any number of cells that changed, by what they read before
   * and by what they read after), and those which its member came or went with.
   * Good until the next transaction: to be asked by whoever hears of a
   * publication. Of a row edited more than once the last edit is told. Empty for
   * what the publication did not change. Where too much changed to follow
   * (thousands of cells behind one resource), all edits of the publication.
   */
  causes(collection: Collection, name: string): readonly Edit[];
  /** Everything that can be audited: derived cells, and collections under the empty key. Goes on while the graph changes. */
  auditable(): IterableIterator<CellRef>;
  /**
   * Computes a cell or collection anew, believing no memory, and compares it and
   * all it came by with what is kept. Records nothing and changes nothing, unless
   * it is to repair.
   */
  audit(table: string, key: string, options?: AuditOptions): AuditResult;
  /**
   * What was computed for whom. `top` bounds the cells listed of each table (default 10); `keys` are
   * asked for one by one.
   */
  costs(options?: { readonly top?: number; readonly keys?: readonly string[] }): Costs;
  /**
   * Untracked read of a derived value, as of the current revision: for
   * controllers, debug pages, tests. Throws a `DependencyFault` when the cell has
   * a fault and no last good value.
   */
  peek<V>(table: Derived<V>, key: string): V;
  /**
   * Keeps a derived cell watched: `onChange` runs during `publish` when its value
   * changed. For what is not a collection (which layers a class has).
   */
  watch<V>(
    table: Derived<V>,
    key: string,
    onChange: (value: V) => void,
  ): { readonly value: V; close(): void };
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
  /** Drops orphaned collections and unread cells beyond what may stay; returns how many went. */
  evict(keep: Keep): { collections: number; cells: number };
  /** Everything, as plain JSON: tables with keys, generations, dependencies; values only when asked. */
  dump(options?: { readonly values?: boolean }): unknown;
}
