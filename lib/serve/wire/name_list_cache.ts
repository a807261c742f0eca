/**
 * Lists that many clients send alike. After a restart proxies come back and ask for the same
 * thousands of names: who sends the same bytes as another gets the lists that were read then, the
 * same objects, so that what follows from them is found once, too.
 *
 * @module
 */
import { hash } from "../../base/mod.ts";

/** The lists of names of a request. Shared, and never changed. */
export interface Lists {
  readonly names: readonly string[];
  readonly unsubscribe: readonly string[];
}

/** Shorter lists are read as fast as they are recognised. */
const LEAST = 1024;
/** Bytes of requests kept to matchExpected others by; what was used last stays. */
const MOST = 32 * 1024 * 1024;
/** How long they are kept without being met again, milliseconds: after a restart clients reconnect within seconds. */
const KEPT_MS = 10_000;

/** Lists read before, by the hash of their bytes. */
export interface NameListCache {
  /** What these bytes say, read anew when they were not met lately. */
  read(bytes: Uint8Array, read: () => Lists): Lists;
  /** Forgets what was not met for a while. */
  trim(): void;
  /** Bytes kept. */
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
      known.set(key, { lists, bytes: bytes.byteLength, met: now() });
      total += bytes.byteLength;
      drop(() => total > MOST);
      return lists;
    },
    trim: () => drop(({ met }) => met < now() - KEPT_MS),
    get bytes() {
      return total;
    },
  };
}
