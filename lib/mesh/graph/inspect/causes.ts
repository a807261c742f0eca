/**
 * The edits behind a change: the cells below it that changed since the previous
 * publication, followed down to the rows.
 *
 * @module
 */
import type { Edit } from "../api/answers.ts";
import type { Cell, ChangeWindow, EditedEntry } from "../cells/mod.ts";
import { LiveCollection } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import { IndexTable } from "../tables/mod.ts";

/** Cells followed for one resource; beyond that the answer is all edits. */
const FOLLOWED = 5_000;

/** The edits behind the last change of a name; see `Graph.causes`. */
export function causes(engine: Engine, collection: LiveCollection, name: string): readonly Edit[] {
  const { changes } = engine;
  if (changes.edits.size === 0) return [];
  const changed = collection.current().log.before(changes.from);
  if (changed !== undefined && !changed.has(name)) return [];
  // With one edit there is one cause.
  if (changes.edits.size === 1) return [...changes.edits.values()];
  const cells = new Set<Cell>();
  for (const member of claimants(changes, collection, name)) {
    memberRoots(changes, collection, member, cells);
  }
  return follow(changes, cells) ? editsAmong(changes, cells) : [...changes.edits.values()];
}

/** The members that own or owned a name. */
function claimants(changes: ChangeWindow, collection: LiveCollection, name: string): Set<string> {
  const found = new Set<string>();
  const owner = collection.claims.owners.get(name);
  if (owner !== undefined) found.add(owner);
  const before = changes.former.get(collection)?.owners.get(name);
  if (before !== undefined) found.add(before);
  return found;
}

/** Adds the cells that may have changed the resources of one member: its own, and those that made it come or go. */
function memberRoots(
  changes: ChangeWindow,
  collection: LiveCollection,
  member: string,
  into: Set<Cell>,
): void {
  const came = changes.former.get(collection)?.members.get(member);
  const source = collection.members.get(member)?.deps[0];
  if (source !== undefined && changes.moved(source)) into.add(source);
  if (came === undefined) return;
  if (source === undefined && changes.moved(came)) into.add(came);
  const list = collection.cell.deps[0];
  if (list !== undefined && changes.moved(list)) into.add(list);
  const { index } = collection.recipe;
  if (index === undefined) return;
  for (const bucket of collection.sources) {
    for (const [row, editedMember] of editsOf(changes, index, bucket)) {
      if (editedMember === member) into.add(row);
    }
  }
}

/** Follows changed dependencies. Returns whether the end was reached. */
function follow(changes: ChangeWindow, cells: Set<Cell>): boolean {
  // A set is iterated in the order of insertion, including cells that are added meanwhile.
  for (const cell of cells) {
    if (cells.size > FOLLOWED) return false;
    const { home } = cell;
    if (home instanceof IndexTable) {
      for (const [row] of editsOf(changes, home, cell.key)) cells.add(row);
    } else if (home instanceof LiveCollection) {
      const members = [...home.members.keys(), ...changes.former.get(home)?.members.keys() ?? []];
      for (const member of members) memberRoots(changes, home, member, cells);
    }
    for (const dep of cell.deps) if (changes.moved(dep)) cells.add(dep);
    for (const dep of changes.lost.get(cell) ?? []) cells.add(dep);
  }
  return true;
}

/** Edits that put a member into a bucket of an index, removed it, or changed its row. */
function editsOf(changes: ChangeWindow, index: IndexTable, bucket: string): EditedEntry[] {
  let buckets = changes.byBucket.get(index);
  if (buckets === undefined) changes.byBucket.set(index, buckets = movesIn(changes, index));
  return buckets.get(bucket) ?? [];
}

/** Rows whose entries changed, by each bucket that they are or were in. */
function movesIn(changes: ChangeWindow, index: IndexTable): Map<string, EditedEntry[]> {
  const found = new Map<string, EditedEntry[]>();
  for (const row of [...changes.edits.keys(), ...changes.fed]) {
    if (row.home !== index.over) continue;
    const entries = [
      ...index.entries.get(row.key) ?? [],
      ...changes.entries.get(index)?.get(row.key) ?? [],
    ];
    for (let i = 0; i < entries.length; i += 2) {
      const rows = found.get(entries[i]!) ?? [];
      rows.push([row, entries[i + 1]!]);
      found.set(entries[i]!, rows);
    }
  }
  return found;
}

/** The last edit of each row among the cells, in the order of revisions. */
function editsAmong(changes: ChangeWindow, cells: ReadonlySet<Cell>): Edit[] {
  const last = new Map<string, Edit>();
  for (const cell of cells) {
    const edit = changes.edits.get(cell);
    if (edit === undefined) continue;
    // A row that was deleted and set again may have had two cells.
    const name = `${edit.table}\0${edit.key}`;
    if ((last.get(name)?.revision ?? 0) < edit.revision) last.set(name, edit);
  }
  return [...last.values()].sort((a, b) => a.revision - b.revision);
}
