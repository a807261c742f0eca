/**
 * Working ahead of a publication, a little at a time: what collections, watches
 * and faults will ask for is computed while nobody is told. Collections themselves
 * are left alone, so that what has been published goes on being seen; so is what
 * would have to read one that is out of date.
 *
 * @module
 */
import { type Cell, STALE, VALUE } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { derivedCell } from "./read.ts";

/**
 * Computes until nothing is left to do ahead or time is up.
 *
 * @param late whether time is up; asked after every cell
 * @returns whether nothing is left
 */
export function warm(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Working ahead");
  engine.ahead = true;
  try {
    for (const cell of demanded(engine)) {
      if ((cell.flags & STALE) === 0 || engine.postponed.has(cell)) continue;
      attempt(engine, cell);
      if (late()) return false;
    }
    return true;
  } finally {
    engine.ahead = false;
    engine.flush();
  }
}

/**
 * Builds what is kept and not built yet, a few cells at a time. How far each collection got is
 * remembered: beginning anew with each call would take longer than the work itself.
 *
 * @param late whether time is up; asked after every cell
 * @returns whether nothing is left
 */
export function prepare(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Preparing");
  for (const collection of engine.staleCollections) {
    if (collection.built) continue;
    const cells = engine.preparing.get(collection) ?? membersToCome(engine, collection);
    engine.preparing.set(collection, cells);
    if (!advance(engine, cells, late)) return false;
    engine.preparing.delete(collection);
    collection.current();
    if (late()) return false;
  }
  return true;
}

/** Computes cells until there are no more or time is up; whether there are no more. */
function advance(engine: Engine, cells: Iterator<Cell>, late: () => boolean): boolean {
  engine.ahead = true;
  try {
    for (let next = cells.next(); !next.done; next = cells.next()) {
      const cell = next.value;
      if ((cell.flags & STALE) !== 0 && !engine.postponed.has(cell)) attempt(engine, cell);
      if (late()) return false;
    }
    return true;
  } finally {
    engine.ahead = false;
    engine.flush();
  }
}

function attempt(engine: Engine, cell: Cell): void {
  try {
    engine.pull(cell);
  } catch (error) {
    if (!engine.halted) throw error;
    engine.halted = false;
    engine.postponed.add(cell);
  }
}

/** The cells that a publication would bring up to date. */
function* demanded(engine: Engine): IterableIterator<Cell> {
  for (const collection of engine.staleCollections) {
    if (collection.built) yield* membersOf(engine, collection);
  }
  for (const watch of engine.staleWatches) if (watch.deps[0] !== undefined) yield watch.deps[0];
  yield* engine.faulted;
}

/** The members that a collection will have once it is built, without building it. */
function* membersToCome(engine: Engine, collection: LiveCollection): IterableIterator<Cell> {
  const { members, index, listTable, listKey } = collection.recipe;
  let sources: Iterable<string> = [];
  if (listTable !== undefined) {
    const list = derivedCell(engine, listTable, listKey);
    yield list;
    if ((list.flags & VALUE) !== 0) sources = list.value as readonly string[];
  } else if ("list" in members) {
    sources = members.list;
  } else if ("buckets" in members) {
    sources = members.buckets;
  }
  for (const source of sources) {
    const found = index === undefined ? [source] : index.buckets.get(source)?.members.keys() ?? [];
    for (const member of [...found]) yield* sourceOf(engine, collection, member);
  }
}

/** The list of a collection, and the cells of its suspects; with a new list, of those that are to come. */
function* membersOf(engine: Engine, collection: LiveCollection): IterableIterator<Cell> {
  const { recipe, members } = collection;
  const list = collection.cell.deps[0];
  if (list !== undefined) {
    yield list;
    if (recipe.index === undefined && list.changedAt > collection.cell.verifiedAt) {
      for (const member of list.value as readonly string[] | undefined ?? []) {
        if (!members.has(member)) yield* sourceOf(engine, collection, member);
      }
    }
  }
  for (const member of collection.suspects) {
    if (!collection.counts.has(member)) continue;
    const known = members.get(member);
    if (known !== undefined) yield known.deps[0]!;
    else yield* sourceOf(engine, collection, member);
  }
}

function* sourceOf(
  engine: Engine,
  { recipe }: LiveCollection,
  member: string,
): IterableIterator<Cell> {
  let key = member;
  try {
    if (recipe.keyOf !== undefined) key = recipe.keyOf(member);
  } catch {
    return; // The publication will say so.
  }
  yield derivedCell(engine, recipe.resources, key);
}
