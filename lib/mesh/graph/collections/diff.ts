/**
 * Differences between two states of views, at a cost in proportion to the names
 * that may differ.
 *
 * @module
 */
import type { Delta, Resource } from "../api/collections.ts";
import { sameResource } from "./claims.ts";
import type { LiveCollection } from "./collection.ts";

/** No difference. */
export const NO_DELTA: Delta = Object.freeze({
  changed: Object.freeze([]),
  removed: Object.freeze([]),
});

/** The part of a view that a comparison needs. */
interface Layered {
  readonly layers: readonly LiveCollection[];
  get(name: string): Resource | undefined;
  at(revision: number, name: string): Resource | undefined | null;
}

/** The difference over some names between two lookups. Sorted by name, frozen. */
export function compare(
  names: Iterable<string>,
  before: (name: string) => Resource | undefined,
  now: (name: string) => Resource | undefined,
): Delta {
  const changed: Resource[] = [];
  const removed: string[] = [];
  for (const name of names) {
    const next = now(name);
    if (sameResource(before(name), next)) continue;
    if (next === undefined) removed.push(name);
    else changed.push(next);
  }
  if (changed.length === 0 && removed.length === 0) return NO_DELTA;
  changed.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.freeze({
    changed: Object.freeze(changed),
    removed: Object.freeze(removed.sort()),
  });
}

/**
 * The difference between `from` as of a revision (its current content when a log
 * was trimmed) and `to` now. For layers that both share, only the logs are read.
 */
export function diffViews(from: Layered, revision: number, to: Layered): Delta {
  const known = from.layers.every((layer) => layer.current().log.reaches(revision));
  const shared = sharedLayers(from, to);
  const names = new Set<string>();
  for (const layer of from.layers) {
    if (!shared.has(layer)) addKeys(names, layer.content);
    if (known) addKeys(names, layer.log.before(revision)!);
  }
  for (const layer of to.layers) if (!shared.has(layer)) addKeys(names, layer.content);
  const before = known
    ? (name: string) => from.at(revision, name) ?? undefined
    : (name: string) => from.get(name);
  return compare(names, before, (name) => to.get(name));
}

/** The layers both have, when they lie in the same order in both; otherwise none. */
function sharedLayers(a: Layered, b: Layered): ReadonlySet<LiveCollection> {
  const inB = new Set(b.layers);
  const shared = a.layers.filter((layer) => inB.has(layer));
  const inA = new Set(shared);
  const other = b.layers.filter((layer) => inA.has(layer));
  return shared.every((layer, i) => layer === other[i]) ? inA : new Set();
}

function addKeys(names: Set<string>, content: ReadonlyMap<string, unknown>): void {
  for (const name of content.keys()) names.add(name);
}
