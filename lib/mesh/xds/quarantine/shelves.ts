/**
 * The entries of a quarantine, by class, type and name.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import type { Entry, Rejection } from "./types.ts";
import { replacement } from "./kept_versions.ts";

/**
 * Maximum number of entries without holders: their proxies are gone, and new ones get the version
 * before. Entries with holders are bounded by the records of streams.
 */
const MAX_ENTRIES = 20_000;

/** The entries, in the order of their shelves. */
export class Shelves {
  readonly #shelves = new Map<string, Map<string, Entry>>();
  /** Entries without holders, the oldest first. */
  readonly #left = new Set<Entry>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  of(classKey: string, typeUrl: string, name: string): Entry | undefined {
    return this.#shelves.get(shelfKey(classKey, typeUrl))?.get(name);
  }

  /** All entries, as they are now. */
  entries(): Entry[] {
    return [...this.#shelves.values()].flatMap((shelf) => [...shelf.values()]);
  }

  /**
   * Adds an entry without versions.
   *
   * @param since milliseconds since the epoch
   */
  add({ stream, typeUrl, resource }: Rejection, since: number): Entry {
    const entry: Entry = {
      classKey: stream.binding.classKey,
      typeUrl,
      name: resource.name,
      versions: [],
      message: "",
      since,
      culprits: [],
      tries: 0,
      retryAt: Infinity,
      isEased: false,
      kept: [],
      identities: new Set(),
      holders: new Map(),
      leftAt: since,
    };
    const key = shelfKey(entry.classKey, typeUrl);
    let shelf = this.#shelves.get(key);
    if (!shelf) this.#shelves.set(key, shelf = new Map());
    shelf.set(resource.name, entry);
    this.#size++;
    return entry;
  }

  /** An entry has its first holder. */
  taken(entry: Entry): void {
    this.#left.delete(entry);
  }

  /** The last holder of an entry left. */
  left(entry: Entry): void {
    this.#left.add(entry);
    if (this.#left.size <= MAX_ENTRIES) return;
    const [oldest] = this.#left;
    this.drop(oldest!);
  }

  drop(entry: Entry): void {
    const { classKey, typeUrl, name } = entry;
    this.#left.delete(entry);
    const key = shelfKey(classKey, typeUrl);
    const shelf = this.#shelves.get(key);
    if (!shelf?.delete(name)) return;
    if (shelf.size === 0) this.#shelves.delete(key);
    this.#size--;
  }

  /** Returns the replacement in other classes that rejected the same version. */
  replacementElsewhere(typeUrl: string, { name, version }: Resource): Resource | undefined {
    for (const shelf of this.#shelves.values()) {
      const entry = shelf.get(name);
      if (entry?.typeUrl !== typeUrl || !entry.versions.includes(version)) continue;
      const found = replacement(entry.kept, [version]);
      if (found) return found;
    }
    return undefined;
  }
}

function shelfKey(classKey: string, typeUrl: string): string {
  return `${typeUrl} ${classKey}`;
}
