/**
 * Bringing a collection up to date: where its members come from, then those of
 * them that are suspect, then the log.
 *
 * @module
 */
import { attempt, type Step } from "./ahead.ts";
import type { Resource } from "./api.ts";
import { bucketOf, leaveBucket } from "./buckets.ts";
import { addReader, Cell, COMPUTED, STALE, unlink, VALUE } from "./cell.ts";
import { Claims, distinct, replaceClaims, sameResource } from "./claims.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { heal, healAside, raise, raiseAside } from "./fault.ts";
import { derivedCell } from "./read.ts";
import { sourcesOf } from "./recipe.ts";

const NOTHING: readonly Resource[] = Object.freeze([]);
const NOBODY: readonly string[] = Object.freeze([]);

/** In place of a revision: nothing was taken yet. */
const NEVER = -1;

/**
 * Settles a collection; builds it when it is not built, as far as the engine's step
 * goes if there is one for it. Called with its cell busy.
 */
export function settle(engine: Engine, collection: LiveCollection): void {
  const { cell, suspects } = collection;
  const building = !collection.built;
  const step = engine.step?.collection === collection ? engine.step : undefined;
  if (!collection.begun) begin(engine, collection);
  if (!followList(engine, collection, step)) return;
  for (const member of suspects) {
    if (!settleMember(engine, collection, member, step)) return;
    suspects.delete(member);
    if (step?.late() === true && suspects.size > 0) return;
  }
  if (building) finishBuild(engine, collection);
  else writeLog(engine, collection);
  settleCycle(engine, cell);
  cell.flags = (cell.flags | COMPUTED | VALUE) & ~STALE;
  cell.verifiedAt = engine.revision;
  engine.staleCollections.delete(collection);
}

function begin(engine: Engine, collection: LiveCollection): void {
  const { fixed, listTable, listKey } = collection.recipe;
  collection.begun = true;
  collection.claims = new Claims();
  if (collection.users === 0) engine.orphans.add(collection);
  // Used again after an eviction, by someone who had kept the object.
  if (!engine.collections.has(collection.name)) {
    engine.collections.set(collection.name, collection);
  }
  if (listTable !== undefined) {
    const list = derivedCell(engine, listTable, listKey);
    collection.cell.deps = [list];
    addReader(engine, list, collection.cell);
  } else takeSources(collection, fixed);
}

/** Takes over a derived list of members or buckets when it is another. Returns whether the list is there. */
function followList(engine: Engine, collection: LiveCollection, step: Step | undefined): boolean {
  const list = collection.cell.deps[0];
  if (list === undefined) return true;
  if (!bringUp(engine, list, step)) return false;
  const value = (list.flags & VALUE) !== 0 ? list.value : NOBODY;
  // A list that is computed to be the same stays the same object.
  if (value === collection.taken) return true;
  takeSources(collection, sourcesOf(collection.recipe, value));
  collection.taken = value;
  return true;
}

/** Brings a cell up to date. Returns whether it is: in a step, the collections it reads are built before. */
function bringUp(engine: Engine, cell: Cell, step: Step | undefined): boolean {
  if (step !== undefined && (cell.flags & STALE) !== 0) {
    const missing = attempt(engine, cell);
    if (missing !== undefined && !missing.built && !step.waiting.includes(missing)) {
      step.blocked = missing;
      return false;
    }
  }
  engine.pull(cell);
  return true;
}

/** Exchanges the sources for others; what is in both is not touched. */
function takeSources(collection: LiveCollection, list: readonly string[]): void {
  const next = new Set(list);
  const old = collection.sources;
  collection.sources = next;
  for (const source of next) if (!old.has(source)) join(collection, source);
  for (const source of old) if (!next.has(source)) part(collection, source);
}

function join(collection: LiveCollection, source: string): void {
  const { index } = collection.recipe;
  if (index === undefined) return collection.shift(source, 1);
  const bucket = bucketOf(index, source);
  (bucket.watchers ??= new Set()).add(collection);
  for (const member of bucket.members.keys()) collection.shift(member, 1);
}

function part(collection: LiveCollection, source: string): void {
  const { index } = collection.recipe;
  if (index === undefined) return collection.shift(source, -1);
  const bucket = bucketOf(index, source);
  for (const member of bucket.members.keys()) collection.shift(member, -1);
  leaveBucket(bucket, collection);
}

/** Looks at one suspect: new, gone, or perhaps changed. Returns whether that is done. */
function settleMember(
  engine: Engine,
  collection: LiveCollection,
  member: string,
  step: Step | undefined,
): boolean {
  const known = collection.members.get(member);
  if (!collection.counts.has(member)) {
    if (known !== undefined) dropMember(engine, collection, known);
    else healAside(engine, collection.name, member);
    return true;
  }
  const cell = known ?? addMember(engine, collection, member);
  if (cell === undefined) return true;
  const source = cell.deps[0]!;
  if (!bringUp(engine, source, step)) return false;
  if (source.changedAt > cell.verifiedAt) {
    const list = (source.flags & VALUE) !== 0 ? source.value as readonly Resource[] : NOTHING;
    take(collection, cell, distinct(list));
  }
  cell.flags &= ~STALE;
  cell.verifiedAt = engine.revision;
  return true;
}

function addMember(engine: Engine, collection: LiveCollection, member: string): Cell | undefined {
  const { resources, keyOf } = collection.recipe;
  let key = member;
  try {
    if (keyOf !== undefined) key = keyOf(member);
  } catch (error) {
    const aside = { error, since: engine.revision, lastGood: false, inputs: [] };
    raiseAside(engine, { table: collection.name, key: member, ...aside });
    return undefined;
  }
  const source = derivedCell(engine, resources, key);
  note(engine, collection, member, source);
  const cell = new Cell(collection.memberHome, member, VALUE);
  cell.value = NOTHING;
  cell.verifiedAt = NEVER;
  cell.deps = [source];
  addReader(engine, source, cell);
  collection.members.set(member, cell);
  return cell;
}

function dropMember(engine: Engine, collection: LiveCollection, cell: Cell): void {
  take(collection, cell, NOTHING);
  note(engine, collection, cell.key, cell.deps[0]!);
  unlink(engine, cell);
  collection.members.delete(cell.key);
}

/** Notes a member that came or went; what a collection is built with has not come. */
function note(engine: Engine, collection: LiveCollection, member: string, source: Cell): void {
  if ((collection.cell.flags & COMPUTED) === 0) return;
  const { members } = engine.round.formerOf(collection);
  if (!members.has(member)) members.set(member, source);
}

function take(collection: LiveCollection, cell: Cell, next: readonly Resource[]): void {
  const old = cell.value as readonly Resource[];
  cell.value = next;
  replaceClaims(collection.claims, cell.key, old, next, (member) => {
    return collection.members.get(member)!.value as readonly Resource[];
  });
}

/** What a collection is built with is its beginning, not a change: nobody can have seen it without. */
function finishBuild(engine: Engine, collection: LiveCollection): void {
  collection.claims.takeTouched();
  collection.claims.takeHanded();
  collection.log.reset(engine.revision);
  collection.built = true;
  collection.stamp++;
  collection.cell.changedAt = engine.revision;
}

/** Logs what differs from before, all in all: a name that went from member to member may not. */
function writeLog(engine: Engine, collection: LiveCollection): void {
  const { content } = collection.claims;
  let changed = false;
  noteOwners(engine, collection);
  for (const [name, before] of collection.claims.takeTouched()) {
    if (sameResource(before, content.get(name))) continue;
    collection.log.append({ revision: engine.revision, name, before });
    changed = true;
  }
  if (!changed) return;
  collection.stamp++;
  collection.cell.changedAt = engine.revision;
  engine.changed.add(collection);
}

function noteOwners(engine: Engine, collection: LiveCollection): void {
  const handed = collection.claims.takeHanded();
  if (handed.size === 0) return;
  const { owners } = engine.round.formerOf(collection);
  for (const [name, member] of handed) if (!owners.has(name)) owners.set(name, member);
}

/** A collection one of whose members reads it takes the fault too; the other members are served. */
function settleCycle(engine: Engine, cell: Cell): void {
  const error = engine.cycles.get(cell);
  if (error !== undefined) {
    engine.cycles.delete(cell);
    raise(engine, cell, error);
  } else if (cell.fault !== undefined) {
    heal(engine, cell);
    cell.changedAt = engine.revision;
  }
}

/** Undoes everything `settle` has made. The collection is built anew at its next use. */
export function unbuild(engine: Engine, collection: LiveCollection): void {
  const { cell, recipe } = collection;
  for (const member of collection.members.values()) unlink(engine, member);
  collection.members.clear();
  if (recipe.index !== undefined) {
    for (const source of collection.sources) {
      leaveBucket(bucketOf(recipe.index, source), collection);
    }
  }
  for (const member of collection.counts.keys()) healAside(engine, collection.name, member);
  collection.counts.clear();
  collection.suspects.clear();
  collection.sources = new Set();
  collection.taken = undefined;
  unlink(engine, cell);
  if (cell.fault !== undefined) heal(engine, cell);
  collection.claims = new Claims();
  collection.log.reset(engine.revision);
  collection.built = collection.begun = false;
  collection.stamp++;
  cell.flags = STALE;
  engine.staleCollections.delete(collection);
}
