/**
 * Eviction of collections without users and of cells without readers.
 *
 * @module
 */
import type { Evicted, Keep } from "../api/collections.ts";
import { type Cell, heal, isRead, unlink } from "../cells/mod.ts";
import { type LiveCollection, unbuild } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import { bytesOf, type DerivedTable, dropEmpty } from "../tables/mod.ts";

/**
 * Evicts the least recently used collections, then cells, until no more than the
 * bound are left of each. An evicted cell may have been the last reader of a
 * collection, so this repeats until nothing more is evicted.
 *
 * @param late whether time is up; asked after some evicted cells, and after every collection
 */
export function evict(engine: Engine, keep: Keep, late: () => boolean): Evicted {
  engine.mustBeIdle("An eviction");
  const gone: Gone = { collections: 0, cells: 0, done: true, late };
  for (let before = -1; gone.done && before !== gone.collections + gone.cells;) {
    before = gone.collections + gone.cells;
    evictCollections(engine, keep, gone);
    if (gone.done) evictCells(engine, keep, gone);
    if (gone.done && keep.bytes !== undefined) evictBytes(engine, keep.bytes, gone);
  }
  const { collections, cells, done } = gone;
  engine.evicted += collections + cells;
  dropEmpty(engine);
  // The part of the stack above its top still refers to the last cells read.
  engine.reads.length = 0;
  engine.flush();
  return { collections, cells, done };
}

/** Counts of collections without users and cells without readers, and the bytes of their resources. */
export function idle(engine: Engine): { collections: number; cells: number; bytes: number } {
  const orphans = idleCollections(engine);
  const bytes = orphans.reduce((sum, { claims }) => sum + claims.bytes, engine.unreadBytes);
  return { collections: orphans.length, cells: engine.unread.size, bytes };
}

/** An eviction under way. */
interface Gone {
  collections: number;
  cells: number;
  /** False once time is up. */
  done: boolean;
  readonly late: () => boolean;
}

/** Cells that are evicted between two looks at the time. */
const AT_ONCE = 256;

/** Counts an evicted cell. Returns whether there is time for another one. */
function countCell(gone: Gone): boolean {
  gone.cells++;
  if (gone.cells % AT_ONCE === 0 && gone.late()) gone.done = false;
  return gone.done;
}

/** Counts an evicted collection. Returns whether there is time for another one. */
function countCollection(gone: Gone): boolean {
  gone.collections++;
  if (gone.late()) gone.done = false;
  return gone.done;
}

function idleCollections(engine: Engine): LiveCollection[] {
  return [...engine.collections.orphans].filter((collection) => !isRead(collection.cell));
}

function evictCollections(engine: Engine, keep: Keep, gone: Gone): void {
  const all = idleCollections(engine);
  const refused = keep.never === undefined ? [] : all.filter(({ name }) => keep.never!(name));
  const others = refused.length === 0 ? all : all.filter((one) => !refused.includes(one));
  const surplus = others.slice(0, Math.max(0, others.length - keep.collections));
  for (const collection of [...refused, ...surplus]) {
    drop(engine, collection);
    if (!countCollection(gone)) return;
  }
}

function evictCells(engine: Engine, keep: Keep, gone: Gone): void {
  for (const cell of engine.unread) {
    const surplus = engine.unread.size > keep.cells;
    if (!surplus && keep.never === undefined) break;
    if (!surplus && !keep.never!(cell.home.name)) continue;
    forget(engine, cell);
    if (!countCell(gone)) return;
  }
}

/** Evicts resources, cells before collections, until few enough bytes are left. */
function evictBytes(engine: Engine, most: number, gone: Gone): void {
  let { bytes } = idle(engine);
  while (bytes > most) {
    for (const cell of engine.unread) {
      if (bytes <= most) return;
      const { unreadBytes } = engine;
      if (!(cell.home as DerivedTable).holdsResources) continue;
      forget(engine, cell);
      bytes -= unreadBytes - engine.unreadBytes;
      if (!countCell(gone)) return;
    }
    const oldest = idleCollections(engine)[0];
    if (bytes <= most || oldest === undefined) return;
    // Its cells are unread now, and their bytes count there.
    drop(engine, oldest);
    if (!countCollection(gone)) return;
    bytes = idle(engine).bytes;
  }
}

function drop(engine: Engine, collection: LiveCollection): void {
  const { byName, changed, orphans } = engine.collections;
  unbuild(collection);
  orphans.delete(collection);
  changed.delete(collection);
  if (byName.get(collection.name) === collection) byName.delete(collection.name);
  for (const id of collection.viewIds) engine.views.delete(id);
  collection.viewIds.clear();
}

/** Removes an unread cell from its table. Cells that it read may become unread, and are evicted after it. */
function forget(engine: Engine, cell: Cell): void {
  const table = cell.home as DerivedTable;
  engine.unread.delete(cell);
  if (table.holdsResources) engine.unreadBytes -= bytesOf(cell.value);
  table.cells.delete(cell.key);
  unlink(cell);
  if (cell.fault !== undefined) heal(engine, cell);
}
