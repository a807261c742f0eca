/**
 * The entries of a quarantine, by class, type and name.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { xdsType } from "../../model/mod.ts";
import * as metrics from "../metrics.ts";
import type { Entry, Rejection, Stream } from "./types.ts";

/** Maximum number of entries. Beyond it the oldest are dropped, and may be sent once more. */
const MAX_ENTRIES = 20_000;

/** Entries by name, of one class and type. */
export type Shelf = ReadonlyMap<string, Entry>;

/** The entries, in the order of their shelves. */
export class Shelves {
  readonly #shelves = new Map<string, Map<string, Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The entries of a stream's class for a type; `undefined` if there are none. */
  of({ binding }: Stream, typeUrl: string): Shelf | undefined {
    return this.#size === 0 ? undefined : this.#shelves.get(shelfKey(binding.classKey, typeUrl));
  }

  /** All entries, as they are now. */
  entries(): Entry[] {
    return this.#size === 0 ? [] : [...this.#shelves.values()].flatMap((shelf) => [
      ...shelf.values(),
    ]);
  }

  /**
   * Adds an entry without versions.
   *
   * @param since milliseconds since the epoch
   */
  add({ stream, typeUrl, resource, before, from }: Rejection, since: number): Entry {
    const entry: Entry = {
      classKey: stream.binding.classKey,
      typeUrl,
      name: resource.name,
      versions: [],
      message: "",
      since,
      lastGood: before,
      from,
      streams: new Set(),
      culprits: [],
      tries: 0,
      retryAt: Infinity,
      trial: undefined,
      together: [],
    };
    const key = shelfKey(entry.classKey, typeUrl);
    let shelf = this.#shelves.get(key);
    if (!shelf) this.#shelves.set(key, shelf = new Map());
    shelf.set(resource.name, entry);
    if (++this.#size > MAX_ENTRIES) this.#dropOldest();
    metrics.quarantined.inc({ type: xdsType(typeUrl).short });
    return entry;
  }

  drop({ classKey, typeUrl, name }: Entry): void {
    const key = shelfKey(classKey, typeUrl);
    const shelf = this.#shelves.get(key);
    if (!shelf?.delete(name)) return;
    if (shelf.size === 0) this.#shelves.delete(key);
    this.#size--;
    metrics.quarantined.dec({ type: xdsType(typeUrl).short });
  }

  /** Returns the replacement in other classes that rejected the same version. */
  replacementElsewhere(typeUrl: string, { name, version }: Resource): Resource | undefined {
    for (const shelf of this.#shelves.values()) {
      const entry = shelf.get(name);
      if (entry?.typeUrl !== typeUrl || !entry.versions.includes(version)) continue;
      if (entry.lastGood) return entry.lastGood;
    }
    return undefined;
  }

  #dropOldest(): void {
    const [shelf] = this.#shelves.values();
    const [oldest] = shelf?.values() ?? [];
    if (oldest) this.drop(oldest);
  }
}

function shelfKey(classKey: string, typeUrl: string): string {
  return `${typeUrl} ${classKey}`;
}
