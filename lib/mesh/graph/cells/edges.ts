/**
 * Edges between cells: a reader and a cell that it reads.
 *
 * @module
 */
import { Cell } from "./cell.ts";
import type { Core } from "./core.ts";

const NO_CELLS: readonly Cell[] = Object.freeze([]);

/** Beyond this many readers a set replaces the array, whose removal is a linear search. */
const FEW = 12;

/** Records that `reader` reads `cell`. The edge must not exist yet. */
export function addReader(cell: Cell, reader: Cell): void {
  const { readers } = cell;
  if (readers === undefined) {
    cell.readers = reader;
    cell.home.gainedReader(cell);
  } else if (readers instanceof Cell) {
    cell.readers = [readers, reader];
  } else if (readers instanceof Set) {
    readers.add(reader);
  } else if (readers.length < FEW) {
    readers.push(reader);
  } else {
    cell.readers = new Set(readers).add(reader);
  }
}

/** Removes the edge. A cell without readers may be evicted. */
export function removeReader(cell: Cell, reader: Cell): void {
  const { readers } = cell;
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
  if (cell.readers === undefined) cell.home.lostReaders(cell);
}

/**
 * Replaces the dependencies of a cell by those on the core's read stack from
 * `base` upwards, and pops them. Only edges that differ are touched.
 */
export function relink(core: Core, cell: Cell, base: number): void {
  const { reads, top } = core;
  const old = cell.deps;
  core.top = base;
  if (sameReads(old, reads, base, top)) return;
  const before = ++core.epoch;
  for (const dep of old) dep.seen = before;
  const after = ++core.epoch;
  let end = base;
  for (let at = base; at < top; at++) {
    const dep = reads[at]!;
    if (dep.seen === after) continue;
    if (dep.seen !== before) addReader(dep, cell);
    dep.seen = after;
    reads[end++] = dep;
  }
  for (const dep of old) {
    if (dep.seen === after) continue;
    core.changes.lostDependency(cell, dep);
    removeReader(dep, cell);
  }
  cell.deps = end === base ? NO_CELLS : reads.slice(base, end);
}

/** Removes all dependencies of a cell. */
export function unlink(cell: Cell): void {
  const old = cell.deps;
  cell.deps = NO_CELLS;
  for (const dep of old) removeReader(dep, cell);
}

function sameReads(
  old: readonly Cell[],
  reads: readonly Cell[],
  base: number,
  top: number,
): boolean {
  const length = top - base;
  if (old.length !== length) return false;
  for (let i = 0; i < length; i++) if (old[i] !== reads[base + i]) return false;
  return true;
}
