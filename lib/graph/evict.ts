/**
 * Forgetting what nobody uses.
 *
 * @module
 */
import type { Keep } from "./api.ts";
import { type Cell, isRead, unlink } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import { type Engine, weigh } from "./engine.ts";
import { heal } from "./fault.ts";
import type { DerivedTable } from "./home.ts";
import { sweep } from "./input.ts";
import { unbuild } from "./settle.ts";

/**
 * Drops the longest forgotten collections, then cells, until no more than the
 * bound are left of each. A cell that goes may have been the last to read a
 * collection, so this goes round until nothing more falls.
 */
export function evict(engine: Engine, keep: Keep): { collections: number; cells: number } {
  engine.mustBeIdle("An eviction");
  const gone = { collections: 0, cells: 0 };
  for (let before = -1; before !== gone.collections + gone.cells;) {
    before = gone.collections + gone.cells;
    evictCollections(engine, keep, gone);
    evictCells(engine, keep, gone);
    if (keep.bytes !== undefined) evictBytes(engine, keep.bytes, gone);
  }
  engine.evicted += gone.collections + gone.cells;
  sweep(engine);
  // The part of the stack above its top still points at what was read last.
  engine.reads.length = 0;
  engine.flush();
  return gone;
}

/** What nobody uses. */
export function idle(engine: Engine): { collections: number; cells: number; bytes: number } {
  const orphans = idleCollections(engine);
  const bytes = orphans.reduce((sum, { claims }) => sum + claims.bytes, engine.unreadBytes);
  return { collections: orphans.length, cells: engine.unread.size, bytes };
}

interface Gone {
  collections: number;
  cells: number;
}

function idleCollections(engine: Engine): LiveCollection[] {
  return [...engine.orphans].filter((collection) => !isRead(collection.cell));
}

function evictCollections(engine: Engine, keep: Keep, gone: Gone): void {
  const all = idleCollections(engine);
  const refused = keep.never === undefined ? [] : all.filter(({ name }) => keep.never!(name));
  const others = refused.length === 0 ? all : all.filter((one) => !refused.includes(one));
  const surplus = others.slice(0, Math.max(0, others.length - keep.collections));
  for (const collection of [...refused, ...surplus]) drop(engine, collection);
  gone.collections += refused.length + surplus.length;
}

function evictCells(engine: Engine, keep: Keep, gone: Gone): void {
  for (const cell of engine.unread) {
    const surplus = engine.unread.size > keep.cells;
    if (!surplus && keep.never === undefined) break;
    if (!surplus && !keep.never!(cell.home.name)) continue;
    forget(engine, cell);
    gone.cells++;
  }
}

/** Drops what holds resources, cells before collections, until few enough bytes are left. */
function evictBytes(engine: Engine, most: number, gone: Gone): void {
  let { bytes } = idle(engine);
  while (bytes > most) {
    for (const cell of engine.unread) {
      if (bytes <= most) return;
      const { unreadBytes } = engine;
      if (!(cell.home as DerivedTable).heavy) continue;
      forget(engine, cell);
      gone.cells++;
      bytes -= unreadBytes - engine.unreadBytes;
    }
    const oldest = idleCollections(engine)[0];
    if (bytes <= most || oldest === undefined) return;
    // Its cells are unread now, and their bytes with them.
    drop(engine, oldest);
    gone.collections++;
    bytes = idle(engine).bytes;
  }
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

/** Takes an unread cell out of its table. What it read may be unread in turn, and comes after. */
function forget(engine: Engine, cell: Cell): void {
  const table = cell.home as DerivedTable;
  engine.unread.delete(cell);
  if (table.heavy) engine.unreadBytes -= weigh(cell.value);
  table.cells.delete(cell.key);
  unlink(engine, cell);
  if (cell.fault !== undefined) heal(engine, cell);
}
