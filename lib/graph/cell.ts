/**
 * Cells and the edges between them.
 *
 * One shape serves rows, derived values, buckets, collections, their members
 * and watches, so that the loops that follow edges stay monomorphic. A cell has
 * no closure of its own; what it does lies in its {@link Home}.
 *
 * @module
 */
import type { Engine } from "./engine.ts";
import type { Home } from "./home.ts";

/** Something below it changed since it was last looked at. Never set on rows and buckets. */
export const STALE = 1;
/** Holds a good value (the current one, or the last good one beside a fault). */
export const VALUE = 2;
/** Being verified or computed: reading it now closes a cycle. */
export const BUSY = 4;
/** Has been computed at least once, be it with a fault, so that its dependencies are known. */
export const COMPUTED = 8;

/** Was read and is read no more. */
export const IDLE = 16;

/** What went wrong in a cell, an index placement, or a callback. */
export interface Trouble {
  readonly error: unknown;
  /** Revision at which it first failed since it last worked. */
  readonly since: number;
}

/** Readers of a cell: none, one, a few, or many. */
export type Readers = undefined | Cell | Cell[] | Set<Cell>;

const NO_CELLS: readonly Cell[] = Object.freeze([]);

/** Beyond this many readers a set replaces the array, whose removal is a linear search. */
const FEW = 12;

/** A node of the dependency graph. */
export class Cell {
  value: unknown = undefined;
  /** What was read to compute it, each cell once, in the order of the first read. */
  deps: readonly Cell[] = NO_CELLS;
  readers: Readers = undefined;
  /** Revision of the last change of {@link value}. */
  changedAt = 0;
  /** Revision at which it was last known to be current. */
  verifiedAt = 0;
  flags: number;
  /** Scratch mark of whoever counts cells, to see each once; compared with the engine's epoch. */
  seen = 0;
  fault: Trouble | undefined = undefined;
  /** Computations run, and tenths of microseconds of own time they took. */
  runs = 0;
  spent = 0;
  readonly home: Home;
  readonly key: string;

  constructor(home: Home, key: string, flags: number) {
    this.home = home;
    this.key = key;
    this.flags = flags;
  }
}

/** Whether anything reads the cell. */
export function isRead(cell: Cell): boolean {
  return cell.readers !== undefined;
}

/** Records that `reader` reads `cell`. The edge must not exist yet. */
export function addReader(engine: Engine, cell: Cell, reader: Cell): void {
  const readers = cell.readers;
  if (readers === undefined) {
    cell.readers = reader;
    if (cell.home.kind === "derived") engine.readAgain(cell, cell.home);
  } else if (readers instanceof Cell) {
    cell.readers = [readers, reader];
  } else if (readers instanceof Set) {
    readers.add(reader);
  } else if (readers.length < FEW) {
    readers.push(reader);
  } else {
    const many = new Set(readers);
    many.add(reader);
    cell.readers = many;
  }
}

/** Takes the edge away; a cell that nobody reads any more becomes a candidate for eviction. */
export function removeReader(engine: Engine, cell: Cell, reader: Cell): void {
  const readers = cell.readers;
  if (readers === undefined) return;
  if (readers instanceof Cell) {
    if (readers === reader) cell.readers = undefined;
  } else if (readers instanceof Set) {
    readers.delete(reader);
    if (readers.size === 0) cell.readers = undefined;
  } else {
    const at = readers.indexOf(reader);
    if (at < 0) return;
    const last = readers.pop()!;
    if (last !== reader) readers[at] = last;
    if (readers.length === 0) cell.readers = undefined;
  }
  if (cell.readers === undefined) engine.unreadAgain(cell);
}

/** Calls `visit` for each reader. */
export function eachReader(cell: Cell, visit: (reader: Cell) => void): void {
  const readers = cell.readers;
  if (readers === undefined) return;
  if (readers instanceof Cell) visit(readers);
  else for (const reader of readers) visit(reader);
}

/**
 * Replaces the dependencies of a cell by those on the engine's read stack from
 * `base` upwards, and pops them. Edges are touched only where they differ.
 */
export function relink(engine: Engine, cell: Cell, base: number): void {
  const { reads, top } = engine;
  const old = cell.deps;
  engine.top = base;
  if (sameReads(old, reads, base, top)) return;
  const before = ++engine.epoch;
  for (const dep of old) dep.seen = before;
  const after = ++engine.epoch;
  let end = base;
  for (let at = base; at < top; at++) {
    const dep = reads[at]!;
    if (dep.seen === after) continue;
    if (dep.seen !== before) addReader(engine, dep, cell);
    dep.seen = after;
    reads[end++] = dep;
  }
  for (const dep of old) {
    if (dep.seen === after) continue;
    engine.round.lose(cell, dep);
    removeReader(engine, dep, cell);
  }
  cell.deps = end === base ? NO_CELLS : reads.slice(base, end);
}

/** Drops all dependencies of a cell. */
export function unlink(engine: Engine, cell: Cell): void {
  const old = cell.deps;
  cell.deps = NO_CELLS;
  for (const dep of old) removeReader(engine, dep, cell);
}

function sameReads(old: readonly Cell[], reads: readonly Cell[], base: number, top: number) {
  const length = top - base;
  if (old.length !== length) return false;
  for (let i = 0; i < length; i++) if (old[i] !== reads[base + i]) return false;
  return true;
}
