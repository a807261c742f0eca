/**
 * Working ahead of a publication, a little at a time: what collections, watches
 * and faults will ask for is computed while nobody is told. Collections themselves
 * are left alone, so that what has been published goes on being seen; so is what
 * would have to read one that is out of date.
 *
 * @module
 */
import { attempt, type Step } from "./ahead.ts";
import { type Cell, STALE } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { derivedCell } from "./read.ts";
import { sourcesOf } from "./recipe.ts";

/**
 * Computes until nothing is left to do ahead or time is up.
 *
 * @param late whether time is up; asked after every cell
 * @returns whether nothing is left
 */
export function warm(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Working ahead");
  try {
    for (const cell of demanded(engine)) {
      if ((cell.flags & STALE) === 0 || engine.postponed.has(cell)) continue;
      if (attempt(engine, cell) !== undefined) engine.postponed.add(cell);
      if (late()) return false;
    }
    return true;
  } finally {
    engine.flush();
  }
}

/**
 * Builds what is kept and not built yet, a few members at a time. What is built of a
 * collection stays, and is brought up to date with the edits that come in between.
 *
 * @param late whether time is up; asked after every member
 * @returns whether nothing is left
 */
export function prepare(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Preparing");
  engine.preparing = true;
  try {
    for (const collection of engine.staleCollections) {
      if (collection.built) continue;
      if (!build(engine, collection, late) || late()) return false;
    }
    engine.preparing = false;
    return true;
  } finally {
    engine.step = undefined;
    engine.flush();
  }
}

/** Builds a collection, those that it is made of first, until time is up; whether it is built. */
function build(engine: Engine, collection: LiveCollection, late: () => boolean): boolean {
  const waiting = [collection];
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    const step: Step = { collection: next, late, waiting, blocked: undefined };
    engine.step = step;
    engine.pull(next.cell);
    if (next.built) waiting.pop();
    else if (step.blocked === undefined) return false;
    // Not before something of it is built: the way here is gone again with every call.
    else waiting.push(step.blocked);
  }
  return true;
}

/** The cells that a publication would bring up to date. */
function* demanded(engine: Engine): IterableIterator<Cell> {
  for (const collection of engine.staleCollections) {
    if (collection.built) yield* membersOf(engine, collection);
  }
  for (const watch of engine.staleWatches) if (watch.deps[0] !== undefined) yield watch.deps[0];
  yield* engine.faulted;
}

/** The list of a collection, and the cells of its suspects; with a new list, of those that are to come. */
function* membersOf(engine: Engine, collection: LiveCollection): IterableIterator<Cell> {
  const { recipe, members } = collection;
  const list = collection.cell.deps[0];
  if (list !== undefined) {
    yield list;
    if (recipe.index === undefined && list.changedAt > collection.cell.verifiedAt) {
      for (const member of sourcesOf(recipe, list.value ?? [])) {
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
