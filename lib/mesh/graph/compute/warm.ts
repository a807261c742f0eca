/**
 * Computes ahead of a publication, in pieces: the cells that collections, watches and faults will
 * need are computed without notifications. Collections do not change, so readers keep seeing the
 * published state; cells that read an outdated collection wait for the publication.
 *
 * @module
 */
import { type Cell, LATE, STALE } from "../cells/mod.ts";
import { attempt, type BuildStep, type LiveCollection, sourcesAhead } from "../collections/mod.ts";
import type { Engine, Walk } from "../engine.ts";
import type { DerivedTable } from "../tables/mod.ts";
import { settleFeeds } from "./feeds.ts";

/** Cells that are found to be current between two looks at the time. */
const SKIPPED = 256;

/**
 * Computes until nothing is left that can be done ahead, or time is up. A call without an edit since
 * the last one continues where that one ended, so that all calls together look at each cell once.
 *
 * @param late whether time is up; asked after every computed cell or part, and after {@link SKIPPED}
 *   other cells
 * @returns whether nothing is left
 */
export function warm(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Working ahead");
  if (!settleFeeds(engine, late)) return false;
  const { revision } = engine;
  let walk = engine.walk;
  if (walk?.revision !== revision) {
    walk = engine.walk = { revision, cells: demanded(engine), unfinished: undefined };
  }
  let skipped = 0;
  let isDone = true;
  beginPiece(engine, late);
  try {
    for (let cell = nextOf(walk); cell !== undefined; cell = nextOf(walk)) {
      if ((cell.flags & STALE) === 0 || engine.postponed.has(cell)) {
        if (++skipped % SKIPPED !== 0) continue;
      } else {
        const missing = bringAhead(engine, cell, late);
        if (missing === LATE) walk.unfinished = cell;
        else if (missing !== undefined) engine.postponed.add(cell);
      }
      if (walk.unfinished === undefined && !late()) continue;
      isDone = false;
      break;
    }
    return isDone;
  } finally {
    if (isDone) engine.walk = undefined;
    engine.collections.step = undefined;
    engine.late = undefined;
    engine.flush();
  }
}

/**
 * Brings a cell up to date ahead of a publication. Collections that it reads and that nobody has read
 * before are built for it; others do not change.
 *
 * @returns the collection that the cell waits for, or {@link LATE}
 */
function bringAhead(
  engine: Engine,
  cell: Cell,
  late: () => boolean,
): LiveCollection | typeof LATE | undefined {
  for (;;) {
    const missing = attempt(engine, cell);
    if (missing === undefined || missing === LATE || missing.built) return missing;
    const outcome = build(engine, missing, { late, ahead: true });
    if (outcome !== "built") return outcome === "late" ? LATE : missing;
  }
}

/**
 * Brings one cell up to date, until time is up before one of its parts.
 *
 * @returns whether it is, or waits for the publication
 */
export function advance(
  engine: Engine,
  table: DerivedTable,
  key: unknown,
  late: () => boolean,
): boolean {
  engine.mustBeIdle("Working ahead");
  beginPiece(engine, late);
  try {
    return attempt(engine, table.cell(table.keyCodec.encode(key))) !== LATE;
  } finally {
    engine.late = undefined;
    engine.flush();
  }
}

/** Lets computations end between two parts when time is up. */
function beginPiece(engine: Engine, late: () => boolean): void {
  engine.late = late;
  engine.advanced = false;
}

/** The next cell of a walk: first the one that was not finished. */
function nextOf(walk: Walk): Cell | undefined {
  const { unfinished } = walk;
  walk.unfinished = undefined;
  return unfinished ?? walk.cells.next().value;
}

/**
 * Builds retained collections that are not built yet, a few members at a time.
 * Edits may come between two calls; the members built so far follow them.
 *
 * @param late whether time is up; asked after every member or part of one
 * @returns whether nothing is left
 */
export function prepare(engine: Engine, late: () => boolean): boolean {
  engine.mustBeIdle("Preparing");
  const { collections } = engine;
  collections.preparing = true;
  beginPiece(engine, late);
  try {
    for (const collection of collections.stale) {
      if (collection.built) continue;
      if (build(engine, collection, { late, ahead: false }) !== "built" || late()) return false;
    }
    collections.preparing = false;
    return true;
  } finally {
    collections.step = undefined;
    engine.late = undefined;
    engine.flush();
  }
}

/**
 * Builds a collection, those that it reads first, until time is up.
 *
 * @param ahead whether edits wait for a publication: a collection that has readers then stays as it is,
 *   and what reads it waits
 */
function build(
  engine: Engine,
  collection: LiveCollection,
  { late, ahead }: Pick<BuildStep, "late" | "ahead">,
): "built" | "late" | "waits" {
  const waiting = [collection];
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    const step: BuildStep = { collection: next, late, ahead, waiting, blocked: undefined };
    engine.collections.step = step;
    engine.pull(next.cell);
    if (next.built) waiting.pop();
    else if (step.blocked === undefined) return "late";
    else if (step.blocked.built || waiting.includes(step.blocked)) return "waits";
    // The list of waiting collections is made again with every call.
    else waiting.push(step.blocked);
  }
  return "built";
}

/** The cells that a publication would bring up to date. */
function* demanded(engine: Engine): IterableIterator<Cell> {
  for (const collection of engine.collections.stale) {
    if (collection.built) yield* sourcesAhead(collection);
  }
  for (const watch of engine.staleWatches) if (watch.deps[0] !== undefined) yield watch.deps[0];
  yield* engine.faulted;
}
