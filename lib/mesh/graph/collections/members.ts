/**
 * The sources and members of a collection: which there are, and the cells of new ones. Their resources
 * are taken by `settle.ts`.
 *
 * @module
 */
import type { Resource } from "../api/collections.ts";
import { addReader, Cell, COMPUTED, STALE, VALUE } from "../cells/mod.ts";
import { unwatch } from "../tables/mod.ts";
import type { LiveCollection } from "./collection.ts";
import { sourcesOf } from "./recipe.ts";

/** The resources of a member that has none. */
export const NO_RESOURCES: readonly Resource[] = Object.freeze([]);
const NO_MEMBERS: readonly string[] = Object.freeze([]);

/** In place of a revision: nothing was taken yet. */
const NEVER = -1;

/** Takes the value of an up-to-date list. */
export function takeList(collection: LiveCollection, list: Cell): void {
  const value = (list.flags & VALUE) !== 0 ? list.value : NO_MEMBERS;
  // A list that is computed to be the same stays the same object.
  if (value === collection.taken) return;
  takeSources(collection, sourcesOf(collection.recipe, value));
  collection.taken = value;
}

/**
 * The cells that a publication will bring up to date for a built collection: its list, and those of the
 * members that may have changed. New members get their cells now, without resources, which readers do
 * not see. It ends if the collection is evicted in between.
 */
export function* sourcesAhead(collection: LiveCollection): IterableIterator<Cell> {
  const { recipe, members, counts, stamp } = collection;
  const list = collection.cell.deps[0];
  if (list !== undefined) {
    yield list;
    if (collection.stamp !== stamp) return;
    if ((list.flags & STALE) === 0) takeList(collection, list);
  }
  for (const member of collection.staleMembers) {
    if (!counts.has(member)) continue;
    let known = members.get(member);
    if (known === undefined) {
      try {
        known = newMember(collection, member, recipe.keyOf?.(member) ?? member);
      } catch {
        continue; // The publication reports it.
      }
    }
    yield known.deps[0]!;
    if (collection.stamp !== stamp) return;
  }
}

/** Replaces the sources; those in both lists are not touched. */
export function takeSources(collection: LiveCollection, list: readonly string[]): void {
  const next = new Set(list);
  const old = collection.sources;
  collection.sources = next;
  for (const source of next) if (!old.has(source)) addSource(collection, source);
  for (const source of old) if (!next.has(source)) removeSource(collection, source);
}

function addSource(collection: LiveCollection, source: string): void {
  const { index } = collection.recipe;
  if (index === undefined) return collection.shift(source, 1);
  const bucket = index.bucket(source);
  bucket.addWatcher(collection);
  for (const member of bucket.members.keys()) collection.shift(member, 1);
}

function removeSource(collection: LiveCollection, source: string): void {
  const { index } = collection.recipe;
  if (index === undefined) return collection.shift(source, -1);
  const bucket = index.bucket(source);
  for (const member of bucket.members.keys()) collection.shift(member, -1);
  unwatch(index, bucket, collection);
}

/** The cell of a new member, without resources yet. */
export function newMember(collection: LiveCollection, member: string, key: string): Cell {
  const source = collection.recipe.resources.cell(key);
  noteMember(collection, member, source);
  const cell = new Cell(collection.memberHome, member, VALUE);
  cell.value = NO_RESOURCES;
  cell.verifiedAt = NEVER;
  cell.deps = [source];
  addReader(source, cell);
  collection.members.set(member, cell);
  return cell;
}

/** Records an added or removed member. Members of the first build are not recorded. */
export function noteMember(collection: LiveCollection, member: string, source: Cell): void {
  if ((collection.cell.flags & COMPUTED) === 0) return;
  const { members } = collection.engine.changes.formerOf(collection);
  if (!members.has(member)) members.set(member, source);
}
