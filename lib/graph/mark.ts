/**
 * The push half: telling everything above a changed cell that it may be out of date.
 *
 * @module
 */
import { Cell, STALE } from "./cell.ts";
import type { Engine } from "./engine.ts";

/** Marks all transitive readers of a cell that has changed. Collections learn which member is suspect. */
export function markReaders(engine: Engine, cell: Cell): void {
  if (cell.readers === undefined) return;
  const stack: Cell[] = [];
  pushReaders(stack, cell);
  drain(engine, stack);
}

/** Marks a cell itself and all its transitive readers. */
export function markCell(engine: Engine, cell: Cell): void {
  if ((cell.flags & STALE) === 0) drain(engine, [cell]);
}

function drain(engine: Engine, stack: Cell[]): void {
  for (let cell = stack.pop(); cell !== undefined; cell = stack.pop()) {
    if ((cell.flags & STALE) !== 0) continue;
    cell.flags |= STALE;
    const home = cell.home;
    switch (home.kind) {
      case "member":
        home.collection.suspects.add(cell.key);
        stack.push(home.collection.cell);
        break;
      case "watch":
        engine.staleWatches.add(cell);
        break;
      case "collection":
        engine.staleCollections.add(home);
        pushReaders(stack, cell);
        break;
      default:
        pushReaders(stack, cell);
    }
  }
}

function pushReaders(stack: Cell[], cell: Cell): void {
  const readers = cell.readers;
  if (readers === undefined) return;
  if (readers instanceof Cell) stack.push(readers);
  else for (const reader of readers) stack.push(reader);
}
