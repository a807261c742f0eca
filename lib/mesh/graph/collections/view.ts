/**
 * Views: layered collections, and the differences that a subscriber of all layers sees.
 *
 * @module
 */
import type { CellRef, Delta, Resource, View } from "../api/collections.ts";
import { foreign } from "../cells/mod.ts";
import type { LiveCollection } from "./collection.ts";
import { compare, diffViews, NO_DELTA } from "./diff.ts";

/** Revisions for which the difference to now is kept. */
const DELTAS = 64;

/** Layers over each other; the first one that has a name decides. */
export class LayeredView implements View {
  readonly layers: readonly LiveCollection[];
  readonly #deltas: Map<number, Delta | undefined> = new Map();
  /** Sum of the layers' stamps when {@link #deltas} and {@link #size} were computed. */
  #stamp = -1;
  #size = -1;

  constructor(layers: readonly LiveCollection[]) {
    this.layers = Object.freeze([...layers]);
  }

  get(name: string): Resource | undefined {
    // By index: a first sync of 500 proxies calls this 300,000 times, and a `for…of` allocated an
    // eighth of the daemon's garbage here.
    const { layers } = this;
    for (let i = 0; i < layers.length; i++) {
      const resource = layers[i]!.get(name);
      if (resource !== undefined) return resource.tombstone ? undefined : resource;
    }
    return undefined;
  }

  cellOf(name: string): CellRef | undefined {
    for (const layer of this.layers) {
      const resource = layer.get(name);
      if (resource !== undefined) return resource.tombstone ? undefined : layer.cellOf(name);
    }
    return undefined;
  }

  entries(): IterableIterator<Resource> {
    // Every first sync runs this: a list, and one look at the content of each layer.
    const list: Resource[] = [];
    const above: ReadonlyMap<string, Resource>[] = [];
    for (const { content } of this.layers) {
      for (const resource of content.values()) {
        if (!resource.tombstone && !isNamed(above, resource.name)) list.push(resource);
      }
      if (content.size > 0) above.push(content);
    }
    return list.values();
  }

  *names(): IterableIterator<string> {
    for (const resource of this.entries()) yield resource.name;
  }

  get size(): number {
    this.#refresh();
    if (this.#size < 0) this.#size = effectiveSize(this);
    return this.#size;
  }

  get changedAt(): number {
    let latest = 0;
    for (const layer of this.layers) latest = Math.max(latest, layer.changedAt);
    return latest;
  }

  since(revision: number): Delta | undefined {
    if (this.changedAt <= revision) return NO_DELTA;
    this.#refresh();
    if (this.#deltas.has(revision)) return this.#deltas.get(revision);
    const delta = this.#deltaSince(revision);
    if (this.#deltas.size >= DELTAS) this.#deltas.clear();
    this.#deltas.set(revision, delta);
    return delta;
  }

  at(revision: number, name: string): Resource | undefined | null {
    for (const layer of this.layers) {
      const before = layer.current().log.before(revision);
      if (before === undefined) return null;
      const resource = before.has(name) ? before.get(name) : layer.get(name);
      if (resource !== undefined) return resource.tombstone ? undefined : resource;
    }
    return undefined;
  }

  diffFrom(other: View, revision: number): Delta {
    if (!(other instanceof LayeredView)) throw foreign("The view to compare with");
    return diffViews(other, revision, this);
  }

  /** Drops the remembered values when a layer has changed since. */
  #refresh(): void {
    let stamp = 0;
    for (const layer of this.layers) stamp += layer.current().stamp;
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#size = -1;
    this.#deltas.clear();
  }

  #deltaSince(revision: number): Delta | undefined {
    const names = new Set<string>();
    for (const layer of this.layers) {
      const before = layer.log.before(revision);
      if (before === undefined) return undefined;
      for (const name of before.keys()) names.add(name);
    }
    const before = (name: string) => this.at(revision, name) ?? undefined;
    return compare(names, before, (name) => this.get(name));
  }
}

/** Reports if one of the layers above has a name. */
function isNamed(above: readonly ReadonlyMap<string, Resource>[], name: string): boolean {
  for (let i = 0; i < above.length; i++) if (above[i]!.has(name)) return true;
  return false;
}

/**
 * Counts without walking the largest layer: it contributes its own size, and the
 * names of the others are looked up one by one.
 */
function effectiveSize(view: LayeredView): number {
  const { layers } = view;
  const base = layers.reduce<LiveCollection | undefined>(
    (largest, layer) => (largest === undefined || layer.size > largest.size ? layer : largest),
    undefined,
  );
  if (base === undefined) return 0;
  let size = base.size - base.claims.tombstones;
  const seen = new Set<string>();
  for (const layer of layers) {
    if (layer === base) continue;
    for (const name of layer.content.keys()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const counted = base.get(name);
      if (counted !== undefined && !counted.tombstone) size--;
      if (view.get(name) !== undefined) size++;
    }
  }
  return size;
}
