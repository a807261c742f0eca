/**
 * Settling of feeds: groups that are out of date are computed, and rows that differ are written, in
 * revisions of their own. Feeds whose tables feed others are settled one after the other, until none
 * is out of date.
 *
 * @module
 */
import type { FeedOptions } from "../api/tables.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import {
  type Cell,
  type Core,
  foreign,
  healSide,
  LATE,
  raiseSide,
  STALE,
  VALUE,
} from "../cells/mod.ts";
import { attempt } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import {
  announce,
  beginRevision,
  dropEmpty,
  Feed,
  IndexTable,
  InputTable,
  isFedRow,
  ownTable,
  putRow,
  rowsDiffer,
} from "../tables/mod.ts";

/**
 * Times that one feed is settled for one change, before feeds are taken to feed each other in a
 * circle. A chain of feeds settles each of them once, or once for each of its inputs.
 */
const ROUNDS = 100;
/** Groups whose rows are written together: a write is not divided. */
const GROUPS = 200;

const NEVER = (): boolean => false;

/** Declares a feed; see `Graph.feed`. */
export function declareFeed<V, K, G>(
  engine: Engine,
  target: { readonly name: string },
  { name, groups, rows }: FeedOptions<V, K, G>,
): void {
  if (!(target instanceof InputTable) || target.engine !== engine) throw foreign(target.name);
  if (!(groups instanceof IndexTable) || groups.engine !== engine) throw foreign(groups.name);
  const tables = { target, groups, rows: ownTable(engine, rows) };
  engine.feeds.push(new Feed(name, engine.feeds.length, tables));
  if (!engine.feedsAhead) settleFeeds(engine);
}

/**
 * Brings all feeds up to date, or as many groups as fit before time is up.
 *
 * @returns whether nothing is left
 */
export function settleFeeds(engine: Engine, late: () => boolean = NEVER): boolean {
  for (let feed = nextFeed(engine); feed !== undefined; feed = nextFeed(engine)) {
    const taken = settle(engine, feed, late);
    if (taken === "late") return false;
    if (taken === "all") feed.rounds++;
  }
  engine.flush();
  return true;
}

/** The first feed that is out of date. One that never comes to rest has a fault and is left. */
function nextFeed(engine: Engine): Feed | undefined {
  for (const feed of engine.feeds) {
    if (!feed.isStale) continue;
    if (feed.rounds < ROUNDS) return feed;
    const error = new MeshError("graph-feed-circle", `The feed ${feed.name} feeds itself.`, {
      remedy: "Its rows must not depend on the table that it feeds.",
    });
    const failure = { error, since: engine.revision, lastGood: true, inputs: [] };
    raiseSide(engine, { table: feed.name, key: "", ...failure });
  }
  return undefined;
}

/**
 * Computes and writes groups of a feed that are out of date.
 *
 * @returns which: all of them, the first {@link GROUPS}, or those before time was up
 */
function settle(engine: Engine, feed: Feed, late: () => boolean): "all" | "some" | "late" {
  const touched = new Set<string>();
  feed.takeMembers(touched);
  let groups = 0;
  engine.late = late === NEVER ? undefined : late;
  engine.advanced = false;
  try {
    for (const cell of feed.stale) {
      if (!take(engine, feed, cell, touched)) return "late";
      if (feed.stale.size > 0 && late()) return "late";
      if (++groups === GROUPS) return "some";
    }
  } finally {
    engine.late = undefined;
    writeRows(engine, feed, touched);
  }
  healSide(engine, feed.name, "");
  return "all";
}

/** Takes the rows of one group. Returns false if time was up before they were computed. */
function take(engine: Core, feed: Feed, cell: Cell, touched: Set<string>): boolean {
  const source = cell.deps[0]!;
  const obstacle = attempt(engine, source);
  if (obstacle === LATE) return false;
  if (obstacle !== undefined) {
    throw new MeshError(
      "graph-feed-collection",
      `The feed ${feed.name} reads the collection ${obstacle.name}.`,
      { remedy: "Rows of a feed can be computed from rows and derived values only." },
    );
  }
  feed.stale.delete(cell);
  cell.flags &= ~STALE;
  // A group that fails keeps the rows that it gave last.
  if ((source.flags & VALUE) !== 0) {
    feed.takeRows(cell, source.value as ReadonlyMap<unknown, unknown>, touched);
  }
  return true;
}

/** Writes the rows of keys whose offers changed, unless a row from outside is there. */
function writeRows(engine: Core, { target }: Feed, touched: ReadonlySet<string>): void {
  let began = false;
  const { activity } = engine;
  try {
    for (const key of touched) {
      const offer = target.offers.get(key)?.[0];
      const present = target.rows.get(key);
      if (present?.value !== undefined && !isFedRow(present)) continue;
      if (!rowsDiffer(target, present?.value, offer?.row)) {
        if (present !== undefined && offer !== undefined) present.deps = offer.group.deps;
        continue;
      }
      if (!began) beginRevision(engine);
      began = true;
      engine.activity = "writing";
      const cell = target.cell(key);
      engine.changes.fedRow(cell);
      putRow(target, cell, offer?.row, offer?.group.deps ?? cell.deps);
    }
    if (!began) return;
    for (const index of target.indexes) announce(index);
    dropEmpty(engine);
  } finally {
    engine.activity = activity;
  }
}
