/**
 * Which edits a change came from: what changed below it since the publication
 * before, followed down to the rows.
 *
 * @module
 */
import type { Edit } from "./api.ts";
import type { IndexTable } from "./buckets.ts";
import type { Cell } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import type { Round } from "./round.ts";

/** Cells followed for one resource; what lies beyond is answered with every edit. */
const FOLLOWED = 5_000;

/** The edits behind the last change of a name; see `Graph.causes`. */
export function causes(engine: Engine, collection: LiveCollection, name: string): readonly Edit[] {
  const { round } = engine;
  if (round.edits.size === 0) return [];
  const changed = collection.current().log.before(round.from);
  if (changed !== undefined && !changed.has(name)) return [];
  // One edit is behind everything.
  if (round.edits.size === 1) return [...round.edits.values()];
  const cells = new Set<Cell>();
  for (const member of claimants(round, collection, name)) {
    memberRoots(round, collection, member, cells);
  }
  return follow(round, cells) ? told(round, cells) : [...round.edits.values()];
}

/** The members that have or had a name. */
function claimants(round: Round, collection: LiveCollection, name: string): Set<string> {
  const found = new Set<string>();
  const owner = collection.claims.owners.get(name);
  if (owner !== undefined) found.add(owner);
  const before = round.former.get(collection)?.owners.get(name);
  if (before !== undefined) found.add(before);
  return found;
}

/** What may have changed the resources of one member: its cell, and that it came or went. */
function memberRoots(
  round: Round,
  collection: LiveCollection,
  member: string,
  into: Set<Cell>,
): void {
  const came = round.former.get(collection)?.members.get(member);
  const source = collection.members.get(member)?.deps[0];
  if (source !== undefined && round.moved(source)) into.add(source);
  if (came === undefined) return;
  if (source === undefined && round.moved(came)) into.add(came);
  const list = collection.cell.deps[0];
  if (list !== undefined && round.moved(list)) into.add(list);
  const { index } = collection.recipe;
  if (index === undefined) return;
  for (const bucket of collection.sources) {
    for (const [row, placed] of editsOf(round, index, bucket)) {
      if (placed === member) into.add(row);
    }
  }
}

/** Walks down what changed. Returns whether the end was reached. */
function follow(round: Round, cells: Set<Cell>): boolean {
  // A set is walked in the order of insertion, what is added on the way included.
  for (const cell of cells) {
    if (cells.size > FOLLOWED) return false;
    const { home } = cell;
    if (home.kind === "index") {
      for (const [row] of editsOf(round, home, cell.key)) cells.add(row);
    } else if (home.kind === "collection") {
      const members = [...home.members.keys(), ...round.former.get(home)?.members.keys() ?? []];
      for (const member of members) memberRoots(round, home, member, cells);
    }
    for (const dep of cell.deps) if (round.moved(dep)) cells.add(dep);
    for (const dep of round.lost.get(cell) ?? []) cells.add(dep);
  }
  return true;
}

/** Edits that put a member into a bucket of an index, took it out, or changed its row there. */
function editsOf(round: Round, index: IndexTable, bucket: string): (readonly [Cell, string])[] {
  let buckets = round.byBucket.get(index);
  if (buckets === undefined) round.byBucket.set(index, buckets = movesIn(round, index));
  return buckets.get(bucket) ?? [];
}

/** Rows whose places changed, by each bucket that they are or were in. */
function movesIn(round: Round, index: IndexTable): Map<string, (readonly [Cell, string])[]> {
  const found = new Map<string, (readonly [Cell, string])[]>();
  for (const row of round.edits.keys()) {
    if (row.home !== index.over) continue;
    const places = [
      ...index.placements.get(row.key) ?? [],
      ...round.places.get(index)?.get(row.key) ?? [],
    ];
    for (let i = 0; i < places.length; i += 2) {
      const rows = found.get(places[i]!) ?? [];
      rows.push([row, places[i + 1]!]);
      found.set(places[i]!, rows);
    }
  }
  return found;
}

/** The edits of the rows among the cells, in the order they were made; the last of each row. */
function told(round: Round, cells: ReadonlySet<Cell>): Edit[] {
  const last = new Map<string, Edit>();
  for (const cell of cells) {
    const edit = round.edits.get(cell);
    if (edit === undefined) continue;
    // A row that went and came again may have had two cells.
    const name = `${edit.table}\0${edit.key}`;
    if ((last.get(name)?.revision ?? 0) < edit.revision) last.set(name, edit);
  }
  return [...last.values()].sort((a, b) => a.revision - b.revision);
}
