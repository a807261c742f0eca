/**
 * Indexes: buckets of members over the rows of an input table.
 *
 * Placements are worked out when a row is written, so that a row that keeps its
 * place touches no bucket, and a bucket tells only those who asked for it.
 *
 * @module
 */
import type { Index, IndexCodecs } from "./api.ts";
import { Cell, isRead, VALUE } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { healAside, raiseAside } from "./fault.ts";
import type { InputTable } from "./input.ts";
import { text } from "./key/mod.ts";
import { markReaders } from "./mark.ts";

/** Beyond one move for so many members, sorting anew beats inserting. */
const MEMBERS_A_MOVE = 16;

/** Places a row: pairs of bucket and member. */
export type Place = (row: unknown, key: unknown) => Iterable<readonly [unknown, unknown]>;

/** One bucket. It exists while it has members or someone has asked for it. */
export class Bucket {
  /** Of each member, how many placements put it here. */
  readonly members: Map<string, number> = new Map();
  /** The members in order, as of before {@link moved}; made when first asked for. */
  sorted: readonly string[] | undefined = undefined;
  /** Members that came or went since {@link sorted} was made. */
  moved: Set<string> | undefined = undefined;
  /** For those who read the membership. */
  cell: Cell | undefined = undefined;
  /** For those who ask only whether there is any. */
  any: Cell | undefined = undefined;
  /** Collections that take their members from here. */
  watchers: Set<LiveCollection> | undefined = undefined;

  constructor(readonly index: IndexTable, readonly key: string) {}
}

/** An index. */
export class IndexTable implements Index<unknown, unknown> {
  readonly kind = "index";
  readonly buckets: Map<string, Bucket> = new Map();
  /** Of each row with placements: bucket and member in turns. */
  readonly placements: Map<string, readonly string[]> = new Map();

  constructor(
    readonly engine: Engine,
    readonly name: string,
    /** The table indexed. */
    readonly over: InputTable,
    readonly codecs: IndexCodecs<unknown, unknown>,
    readonly place: Place,
  ) {}

  peek(bucket: unknown): readonly unknown[] {
    this.engine.untracked("index", this.name);
    return membersOf(this, this.buckets.get(this.codecs.bucket.encode(bucket)));
  }
}

/** The bucket of this key, made when there is none. */
export function bucketOf(index: IndexTable, key: string): Bucket {
  let bucket = index.buckets.get(key);
  if (bucket === undefined) index.buckets.set(key, bucket = new Bucket(index, key));
  return bucket;
}

/** The cell of those who read a bucket's members. */
export function membersCell(bucket: Bucket): Cell {
  return bucket.cell ??= new Cell(bucket.index, bucket.key, VALUE);
}

/** The cell of those who ask whether a bucket has members. */
export function anyCell(bucket: Bucket): Cell {
  return bucket.any ??= new Cell(bucket.index, bucket.key, VALUE);
}

/** Places one row anew, or takes it out (`row` undefined). A function that throws leaves the old places. */
export function placeRow(index: IndexTable, key: string, row: unknown): void {
  const old = index.placements.get(key) ?? [];
  const next = row === undefined ? [] : placementsOf(index, key, row);
  if (next === undefined) return;
  healAside(index.engine, index.name, key);
  if (samePlaces(old, next)) return;
  index.engine.round.leave(index, key, old);
  if (next.length === 0) index.placements.delete(key);
  else index.placements.set(key, next.slice()); // Without the room that pushing reserves.
  for (let i = 0; i < next.length; i += 2) count(index, next[i]!, next[i + 1]!, 1);
  for (let i = 0; i < old.length; i += 2) count(index, old[i]!, old[i + 1]!, -1);
}

function placementsOf(index: IndexTable, key: string, row: unknown): string[] | undefined {
  try {
    const { bucket: buckets, member: members } = index.codecs;
    const flat: string[] = [];
    for (const [bucket, member] of index.place(row, index.over.keyCodec.decode(key))) {
      flat.push(buckets.encode(bucket), members.encode(member));
    }
    return flat;
  } catch (error) {
    const { engine, name } = index;
    const lastGood = index.placements.has(key);
    const inputs = [`${index.over.name}/${key}`];
    raiseAside(engine, { table: name, key, error, since: engine.revision, lastGood, inputs });
    return undefined;
  }
}

function samePlaces(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Counts one placement, and notes for {@link announce} what the bucket was like before. */
function count(index: IndexTable, key: string, member: string, by: number): void {
  const bucket = bucketOf(index, key);
  const had = bucket.members.get(member) ?? 0;
  if (had + by === 0) bucket.members.delete(member);
  else bucket.members.set(member, had + by);
  if (had !== 0 && had + by !== 0) return;
  if (by > 0 && isUnasked(bucket)) return;
  const touched = index.engine.touchedBuckets;
  let before = touched.get(bucket);
  if (before === undefined) touched.set(bucket, before = new Map());
  if (!before.has(member)) before.set(member, had !== 0);
}

/** Whether there is nobody to tell of new members, and nothing kept to bring up to date: at a start, that is every bucket. */
function isUnasked({ cell, any, watchers, sorted }: Bucket): boolean {
  return cell === undefined && any === undefined && watchers === undefined && sorted === undefined;
}

/** Tells the readers of each touched bucket what the transaction has made of it, all in all. */
export function announce(engine: Engine): void {
  if (engine.touchedBuckets.size === 0) return;
  for (const [bucket, before] of engine.touchedBuckets) announceBucket(engine, bucket, before);
  engine.touchedBuckets.clear();
}

function announceBucket(engine: Engine, bucket: Bucket, before: Map<string, boolean>): void {
  let balance = 0;
  let changed = false;
  for (const [member, was] of before) {
    const is = bucket.members.has(member);
    if (is === was) continue;
    changed = true;
    balance += is ? 1 : -1;
    noteMove(bucket, member);
    if (bucket.watchers !== undefined) {
      for (const collection of bucket.watchers) collection.shift(member, is ? 1 : -1);
    }
  }
  if (!changed) return;
  if (bucket.cell !== undefined) touch(engine, bucket.cell);
  const size = bucket.members.size;
  if (bucket.any !== undefined && (size > 0) !== (size - balance > 0)) touch(engine, bucket.any);
  dropIfHusk(bucket);
}

/** Keeps what is needed to bring the sorted members up to date, unless sorting anew is cheaper. */
function noteMove(bucket: Bucket, member: string): void {
  if (bucket.sorted === undefined) return;
  const moved = bucket.moved ??= new Set();
  moved.add(member);
  if (moved.size * MEMBERS_A_MOVE > bucket.sorted.length) {
    bucket.sorted = bucket.moved = undefined;
  }
}

function touch(engine: Engine, cell: Cell): void {
  cell.changedAt = engine.revision;
  markReaders(engine, cell);
}

/** Forgets cells nobody reads, and the bucket with them when it is empty. No computation may be running. */
export function dropIfHusk(bucket: Bucket): void {
  if (bucket.cell !== undefined && !isRead(bucket.cell)) bucket.cell = undefined;
  if (bucket.any !== undefined && !isRead(bucket.any)) bucket.any = undefined;
  dropIfEmpty(bucket);
}

/** Ends a collection's interest in a bucket. */
export function leaveBucket(bucket: Bucket, collection: LiveCollection): void {
  bucket.watchers?.delete(collection);
  if (bucket.watchers?.size === 0) bucket.watchers = undefined;
  dropIfEmpty(bucket);
}

function dropIfEmpty(bucket: Bucket): void {
  if (bucket.members.size > 0 || bucket.watchers !== undefined) return;
  if (bucket.cell !== undefined || bucket.any !== undefined) return;
  bucket.index.buckets.delete(bucket.key);
}

/** The members of a bucket as their readers see them. */
export function membersOf(index: IndexTable, bucket: Bucket | undefined): readonly unknown[] {
  const { member } = index.codecs;
  const members = bucket === undefined ? NO_MEMBERS : sortedMembers(bucket);
  return member === text ? members : members.map((one) => member.decode(one));
}

const NO_MEMBERS: readonly string[] = Object.freeze([]);

/** The members in order, frozen; the same array while the membership is the same. */
export function sortedMembers(bucket: Bucket): readonly string[] {
  const { sorted, moved } = bucket;
  if (sorted !== undefined && moved === undefined) return sorted;
  const next = sorted !== undefined && moved !== undefined
    ? movedIn(sorted, moved, bucket.members)
    : [...bucket.members.keys()].sort();
  bucket.moved = undefined;
  return bucket.sorted = Object.freeze(next);
}

function movedIn(
  sorted: readonly string[],
  moved: ReadonlySet<string>,
  members: ReadonlyMap<string, number>,
): string[] {
  const next = sorted.slice();
  for (const member of moved) {
    const at = lowerBound(next, member);
    const listed = next[at] === member;
    if (members.has(member) === listed) continue;
    if (listed) next.splice(at, 1);
    else next.splice(at, 0, member);
  }
  return next;
}

/** First position whose element is not less than `wanted`. */
export function lowerBound(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
