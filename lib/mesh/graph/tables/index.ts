/**
 * Indexes: buckets of members over the rows of an input table.
 *
 * Entries are computed when a row is written, so that a row that keeps its
 * entries touches no bucket, and a bucket notifies only its readers.
 *
 * @module
 */
import type { Index, IndexCodecs } from "../api/tables.ts";
import {
  Cell,
  type Core,
  healSide,
  Home,
  isRead,
  markReaders,
  raiseSide,
  VALUE,
} from "../cells/mod.ts";
import { text } from "../../../kit/key/mod.ts";
import type { KeyCodec } from "../../../kit/key/mod.ts";
import { Bucket } from "./bucket.ts";

/** The entries of a row: pairs of bucket and member. */
export type EntriesOf = (row: unknown, key: unknown) => Iterable<readonly [unknown, unknown]>;

/** The input table that an index is over. */
export interface IndexedTable extends Home {
  readonly keyCodec: KeyCodec<unknown>;
  readonly rows: ReadonlyMap<string, Cell>;
}

/** Declaration of an index. */
export interface IndexOptions {
  readonly name: string;
  readonly over: IndexedTable;
  readonly codecs: IndexCodecs<unknown, unknown>;
  readonly entriesOf: EntriesOf;
}

export class IndexTable extends Home implements Index<unknown, unknown> {
  readonly kind = "index";
  readonly name: string;
  readonly over: IndexedTable;
  readonly codecs: IndexCodecs<unknown, unknown>;
  readonly entriesOf: EntriesOf;
  readonly buckets: Map<string, Bucket> = new Map();
  /** Row key → bucket and member in turns, for rows that have entries. */
  readonly entries: Map<string, readonly string[]> = new Map();
  /** Buckets touched by the running transaction: member → whether it was in before. */
  readonly touched: Map<Bucket, Map<string, boolean>> = new Map();

  constructor(readonly engine: Core, { name, over, codecs, entriesOf }: IndexOptions) {
    super();
    this.name = name;
    this.over = over;
    this.codecs = codecs;
    this.entriesOf = entriesOf;
  }

  override lostReaders(cell: Cell): void {
    this.engine.empty.add(cell);
  }

  peek(bucket: unknown): readonly unknown[] {
    this.engine.untracked("index", this.name);
    return this.membersOf(this.buckets.get(this.codecs.bucket.encode(bucket)));
  }

  /** The bucket of a key as text, made when there is none. */
  bucket(key: string): Bucket {
    let bucket = this.buckets.get(key);
    if (bucket === undefined) this.buckets.set(key, bucket = new Bucket(key));
    return bucket;
  }

  /** The members of a bucket, sorted by their texts, as keys of their type. */
  membersOf(bucket: Bucket | undefined): readonly unknown[] {
    const { member } = this.codecs;
    const members = bucket === undefined ? NO_MEMBERS : bucket.sortedMembers();
    return member === text ? members : members.map((one) => member.decode(one));
  }

  /** The cell for readers of a bucket's members. */
  membersCell(bucket: Bucket): Cell {
    return bucket.cell ??= new Cell(this, bucket.key, VALUE);
  }

  /** The cell for readers that ask only whether a bucket has members. */
  anyCell(bucket: Bucket): Cell {
    return bucket.any ??= new Cell(this, bucket.key, VALUE);
  }

  /** Removes the cells of a bucket that nothing reads, and the bucket if it is empty then. */
  dropIfUnread(key: string): void {
    const bucket = this.buckets.get(key);
    if (bucket === undefined) return;
    if (bucket.cell !== undefined && !isRead(bucket.cell)) bucket.cell = undefined;
    if (bucket.any !== undefined && !isRead(bucket.any)) bucket.any = undefined;
    this.dropIfUnused(bucket);
  }

  /** Removes a bucket without members, readers and watchers. */
  dropIfUnused(bucket: Bucket): void {
    if (bucket.members.size === 0 && !bucket.isAskedFor) this.buckets.delete(bucket.key);
  }
}

const NO_MEMBERS: readonly string[] = Object.freeze([]);

/**
 * Computes the entries of one row again, or removes them (`row` undefined). When
 * the function throws, the old entries stay.
 */
export function indexRow(index: IndexTable, key: string, row: unknown): void {
  const old = index.entries.get(key) ?? [];
  const next = row === undefined ? [] : computeEntries(index, key, row);
  if (next === undefined) return;
  healSide(index.engine, index.name, key);
  if (sameEntries(old, next)) return;
  index.engine.changes.lostEntries(index, key, old);
  if (next.length === 0) index.entries.delete(key);
  else index.entries.set(key, next.slice()); // Without the capacity that pushing reserves.
  for (let i = 0; i < next.length; i += 2) count(index, next[i]!, next[i + 1]!, 1);
  for (let i = 0; i < old.length; i += 2) count(index, old[i]!, old[i + 1]!, -1);
}

function computeEntries(index: IndexTable, key: string, row: unknown): string[] | undefined {
  const { engine, name, over, codecs } = index;
  try {
    const flat: string[] = [];
    for (const [bucket, member] of index.entriesOf(row, over.keyCodec.decode(key))) {
      flat.push(codecs.bucket.encode(bucket), codecs.member.encode(member));
    }
    return flat;
  } catch (error) {
    const lastGood = index.entries.has(key);
    const inputs = [`${over.name}/${key}`];
    raiseSide(engine, { table: name, key, error, since: engine.revision, lastGood, inputs });
    return undefined;
  }
}

function sameEntries(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Counts one entry, and remembers the former membership for {@link announce}. */
function count(index: IndexTable, key: string, member: string, by: number): void {
  const bucket = index.bucket(key);
  const had = bucket.members.get(member) ?? 0;
  if (had + by === 0) bucket.members.delete(member);
  else bucket.members.set(member, had + by);
  if (had !== 0 && had + by !== 0) return;
  // Nobody to notify of a new member, and no sorted list to keep: at a start, that is every bucket.
  if (by > 0 && !bucket.isAskedFor && !bucket.isSorted) return;
  let before = index.touched.get(bucket);
  if (before === undefined) index.touched.set(bucket, before = new Map());
  if (!before.has(member)) before.set(member, had !== 0);
}

/** Notifies the readers of each touched bucket of the transaction's outcome. */
export function announce(index: IndexTable): void {
  if (index.touched.size === 0) return;
  for (const [bucket, before] of index.touched) announceBucket(index, bucket, before);
  index.touched.clear();
}

function announceBucket(index: IndexTable, bucket: Bucket, before: Map<string, boolean>): void {
  let balance = 0;
  let changed = false;
  for (const [member, was] of before) {
    const is = bucket.members.has(member);
    if (is === was) continue;
    changed = true;
    balance += is ? 1 : -1;
    bucket.moved(member);
    if (bucket.watchers === undefined) continue;
    for (const watcher of bucket.watchers) watcher.shift(member, is ? 1 : -1);
  }
  if (!changed) return;
  if (bucket.cell !== undefined) touch(index.engine, bucket.cell);
  const size = bucket.members.size;
  if (bucket.any !== undefined && (size > 0) !== (size - balance > 0)) {
    touch(index.engine, bucket.any);
  }
  index.dropIfUnread(bucket.key);
}

function touch(engine: Core, cell: Cell): void {
  cell.changedAt = engine.revision;
  markReaders(cell);
}

/** Ends a watcher's interest in a bucket. */
export function unwatch(index: IndexTable, bucket: Bucket, watcher: object): void {
  bucket.removeWatcher(watcher);
  index.dropIfUnused(bucket);
}
