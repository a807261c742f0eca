/**
 * Bringing a collection up to date: first its list of members, then those of
 * them that may have changed, then its log.
 *
 * @module
 */
import type { Resource } from "../api/collections.ts";
import {
  addReader,
  Cell,
  COMPUTED,
  heal,
  healSide,
  LATE,
  raise,
  raiseSide,
  STALE,
  unlink,
  VALUE,
} from "../cells/mod.ts";
import { attempt } from "./ahead.ts";
import { Claims, distinct, replaceClaims, sameResource } from "./claims.ts";
import type { BuildStep, LiveCollection } from "./collection.ts";
import { unwatch } from "../tables/mod.ts";
import { newMember, NO_RESOURCES, noteMember, takeList, takeSources } from "./members.ts";

/**
 * Settles a collection; builds it when it is not built, as far as the store's
 * step goes if there is one for it. Called while its cell is busy.
 */
export function settle(collection: LiveCollection): void {
  const { cell, staleMembers, store } = collection;
  const building = !collection.built;
  const step = store.step?.collection === collection ? store.step : undefined;
  if (!collection.begun) begin(collection);
  if (!followList(collection, step)) return;
  for (const member of staleMembers) {
    if (!settleMember(collection, member, step)) return;
    staleMembers.delete(member);
    if (step?.late() === true && staleMembers.size > 0) return;
  }
  if (building) finishBuild(collection);
  else writeLog(collection);
  settleCycle(collection);
  cell.flags = (cell.flags | COMPUTED | VALUE) & ~STALE;
  cell.verifiedAt = collection.engine.revision;
  store.stale.delete(collection);
}

function begin(collection: LiveCollection): void {
  const { store, name } = collection;
  const { fixed, listTable, listKey } = collection.recipe;
  collection.begun = true;
  collection.claims = new Claims();
  if (collection.users === 0) store.orphans.add(collection);
  // Used again after an eviction, by an owner that kept the object.
  if (!store.byName.has(name)) store.byName.set(name, collection);
  if (listTable === undefined) takeSources(collection, fixed);
  else {
    const list = listTable.cell(listKey);
    collection.cell.deps = [list];
    addReader(list, collection.cell);
  }
}

/** Takes the derived list of members or buckets when it has changed. Returns whether the list is available. */
function followList(collection: LiveCollection, step: BuildStep | undefined): boolean {
  const list = collection.cell.deps[0];
  if (list === undefined) return true;
  if (!bringUp(collection, list, step)) return false;
  takeList(collection, list);
  return true;
}

/**
 * Brings a cell up to date. Returns whether it is: in a step, the collections that it reads are built
 * first, and time may be up before one of its parts.
 */
function bringUp(
  { engine }: LiveCollection,
  cell: Cell,
  step: BuildStep | undefined,
): boolean {
  if (step !== undefined && (cell.flags & STALE) !== 0) {
    const missing = attempt(engine, cell);
    if (missing === LATE) return false;
    const isNew = missing !== undefined && !missing.built && !step.waiting.includes(missing);
    if (missing !== undefined && (isNew || step.ahead)) {
      step.blocked = missing;
      return false;
    }
  }
  engine.pull(cell);
  return true;
}

/** Settles one stale member: new, gone, or perhaps changed. Returns whether that is done. */
function settleMember(
  collection: LiveCollection,
  member: string,
  step: BuildStep | undefined,
): boolean {
  const known = collection.members.get(member);
  if (!collection.counts.has(member)) {
    if (known !== undefined) dropMember(collection, known);
    else healSide(collection.engine, collection.name, member);
    return true;
  }
  const cell = known ?? addMember(collection, member);
  if (cell === undefined) return true;
  const source = cell.deps[0]!;
  if (!bringUp(collection, source, step)) return false;
  if (source.changedAt > cell.verifiedAt) {
    const list = (source.flags & VALUE) !== 0 ? source.value as readonly Resource[] : NO_RESOURCES;
    take(collection, cell, distinct(list));
  }
  cell.flags &= ~STALE;
  cell.verifiedAt = collection.engine.revision;
  return true;
}

function addMember(collection: LiveCollection, member: string): Cell | undefined {
  const { engine } = collection;
  const { keyOf } = collection.recipe;
  let key = member;
  try {
    if (keyOf !== undefined) key = keyOf(member);
  } catch (error) {
    const failure = { error, since: engine.revision, lastGood: false, inputs: [] };
    raiseSide(engine, { table: collection.name, key: member, ...failure });
    return undefined;
  }
  return newMember(collection, member, key);
}

function dropMember(collection: LiveCollection, cell: Cell): void {
  take(collection, cell, NO_RESOURCES);
  noteMember(collection, cell.key, cell.deps[0]!);
  unlink(cell);
  collection.members.delete(cell.key);
}

function take(collection: LiveCollection, cell: Cell, next: readonly Resource[]): void {
  const old = cell.value as readonly Resource[];
  cell.value = next;
  replaceClaims(
    collection.claims,
    { member: cell.key, old, next },
    (member) => collection.members.get(member)!.value as readonly Resource[],
  );
}

/**
 * Ends the first build. Its content is not a change, because no reader can have seen the collection
 * without it.
 */
function finishBuild(collection: LiveCollection): void {
  const { revision } = collection.engine;
  collection.claims.takeTouched();
  collection.claims.takeTransferred();
  collection.log.reset(revision);
  collection.built = true;
  collection.stamp++;
  collection.cell.changedAt = revision;
}

/** Logs the names whose resource differs in the end: a name that changed its owner may not. */
function writeLog(collection: LiveCollection): void {
  const { content } = collection.claims;
  const { revision } = collection.engine;
  let changed = false;
  noteOwners(collection);
  for (const [name, before] of collection.claims.takeTouched()) {
    if (sameResource(before, content.get(name))) continue;
    collection.log.append({ revision, name, before });
    changed = true;
  }
  if (!changed) return;
  collection.stamp++;
  collection.cell.changedAt = revision;
  collection.store.changed.add(collection);
}

function noteOwners(collection: LiveCollection): void {
  const transferred = collection.claims.takeTransferred();
  if (transferred.size === 0) return;
  const { owners } = collection.engine.changes.formerOf(collection);
  for (const [name, member] of transferred) if (!owners.has(name)) owners.set(name, member);
}

/** A collection that one of its members reads has the fault, too; the other members are served. */
function settleCycle({ engine, cell }: LiveCollection): void {
  const error = engine.cycles.get(cell);
  if (error !== undefined) {
    engine.cycles.delete(cell);
    raise(engine, cell, error);
  } else if (cell.fault !== undefined) {
    heal(engine, cell);
    cell.changedAt = engine.revision;
  }
}

/** Undoes a build. The collection is built again at its next use. */
export function unbuild(collection: LiveCollection): void {
  const { cell, engine, recipe } = collection;
  for (const member of collection.members.values()) unlink(member);
  collection.members.clear();
  if (recipe.index !== undefined) {
    for (const source of collection.sources) {
      unwatch(recipe.index, recipe.index.bucket(source), collection);
    }
  }
  for (const member of collection.counts.keys()) healSide(engine, collection.name, member);
  collection.counts.clear();
  collection.staleMembers.clear();
  collection.sources = new Set();
  collection.taken = undefined;
  unlink(cell);
  if (cell.fault !== undefined) heal(engine, cell);
  collection.claims = new Claims();
  collection.log.reset(engine.revision);
  collection.built = collection.begun = false;
  collection.stamp++;
  cell.flags = STALE;
  collection.store.stale.delete(collection);
}
