/**
 * The push half: marking everything above a changed cell as possibly out of date.
 *
 * @module
 */
import { type Cell, pushReaders, STALE } from "./cell.ts";

/** Marks all transitive readers of a cell that has changed. */
export function markReaders(cell: Cell): void {
  if (cell.readers === undefined) return;
  const stack: Cell[] = [];
  pushReaders(stack, cell);
  drain(stack);
}

/** Marks a cell itself and all its transitive readers. */
export function markCell(cell: Cell): void {
  if ((cell.flags & STALE) === 0) drain([cell]);
}

function drain(stack: Cell[]): void {
  for (let cell = stack.pop(); cell !== undefined; cell = stack.pop()) {
    if ((cell.flags & STALE) !== 0) continue;
    cell.flags |= STALE;
    cell.home.marked(cell, stack);
  }
}
