/**
 * Forgetting what nobody uses.
 *
 * @module
 */
import { type Cell, isRead, unlink } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { heal } from "./fault.ts";
import type { DerivedTable } from "./home.ts";
import { sweep } from "./input.ts";
import { unbuild } from "./settle.ts";

/** How many of each may stay although nobody uses them. */
export interface Keep {
  readonly collections: number;
  readonly cells: number;
}

/**
 * Drops the longest forgotten collections, then cells, until no more than the
 * bound are left of each. A cell that goes may have been the last to read a
 * collection, so this goes round until nothing more falls.
 */
export function evict(engine: Engine, keep: Keep): { collections: number; cells: number } {
  engine.mustBeIdle("An eviction");
  let collections = 0;
  let cells = 0;
  for (let before = -1; before !== collections + cells;) {
    before = collections + cells;
    collections += evictCollections(engine, keep.collections);
    cells += evictCells(engine, keep.cells);
  }
  sweep(engine);
  // The part of the stack above its top still points at what was read last.
  engine.reads.length = 0;
  engine.flush();
  return { collections, cells };
}

function evictCollections(engine: Engine, keep: number): number {
  const idle = [...engine.orphans].filter((collection) => !isRead(collection.cell));
  const surplus = idle.slice(0, Math.max(0, idle.length - keep));
  for (const collection of surplus) drop(engine, collection);
  return surplus.length;
}

function drop(engine: Engine, collection: LiveCollection): void {
  unbuild(engine, collection);
  engine.orphans.delete(collection);
  engine.changed.delete(collection);
  if (engine.collections.get(collection.name) === collection) {
    engine.collections.delete(collection.name);
  }
  for (const id of collection.viewIds) engine.views.delete(id);
  collection.viewIds.clear();
}

function evictCells(engine: Engine, keep: number): number {
  let gone = 0;
  for (const cell of engine.unread) {
    if (engine.unread.size <= keep) break;
    engine.unread.delete(cell);
    forget(engine, cell);
    gone++;
  }
  return gone;
}

/** Takes an unread cell out of its table. What it read may be unread in turn, and comes after. */
function forget(engine: Engine, cell: Cell): void {
  (cell.home as DerivedTable).cells.delete(cell.key);
  unlink(engine, cell);
  if (cell.fault !== undefined) heal(engine, cell);
}
