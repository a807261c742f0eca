/**
 * Cache of name lists that many clients send. After a restart proxies reconnect and subscribe to
 * the same thousands of names: equal bytes give the same decoded objects, so derived values are
 * computed once, too.
 *
 * @module
 */
import { hash } from "../../../kit/base/mod.ts";

/** The lists of names of a request. Shared, and never changed. */
export interface Lists {
  readonly names: readonly string[];
  readonly unsubscribe: readonly string[];
}

/** Shorter lists are read as fast as they are recognised. */
const LEAST = 1024;
/** Maximum memory of cached lists, bytes; the least recently used are removed. */
const MOST = 16 * 1024 * 1024;
/** Approximate memory of a name in a list in addition to its characters, bytes. */
const NAME_BYTES = 32;
/**
 * Time without use after which an entry is removed, milliseconds: after a restart clients reconnect
 * within seconds.
 */
const KEPT_MS = 10_000;

/** Lists read before, by the hash of their bytes. */
export interface NameListCache {
  /** Returns the decoded lists of these bytes, from the cache if possible. */
  read(bytes: Uint8Array, read: () => Lists): Lists;
  /** Forgets what was not met for a while. */
  trim(): void;
  /** Approximate memory of the cached lists, bytes. */
  readonly bytes: number;
}

interface Known {
  readonly lists: Lists;
  readonly bytes: number;
  readonly met: number;
}

/** Nothing read yet. `now`: milliseconds, monotonic. */
export function nameListCache(now: () => number): NameListCache {
  /** The one met longest ago first. */
  const known = new Map<string, Known>();
  let total = 0;
  const drop = (isOver: (oldest: Known) => boolean): void => {
    for (const [key, oldest] of known) {
      if (!isOver(oldest)) return;
      known.delete(key);
      total -= oldest.bytes;
    }
  };
  return {
    read(bytes, read) {
      if (bytes.byteLength < LEAST) return read();
      const key = hash(bytes);
      const found = known.get(key);
      if (found) {
        known.delete(key);
        known.set(key, { ...found, met: now() });
        return found.lists;
      }
      const lists = read();
      const names = lists.names.length + lists.unsubscribe.length;
      const memory = bytes.byteLength + NAME_BYTES * names;
      known.set(key, { lists, bytes: memory, met: now() });
      total += memory;
      drop(() => total > MOST);
      return lists;
    },
    trim: () => drop(({ met }) => met < now() - KEPT_MS),
    get bytes() {
      return total;
    },
  };
}
