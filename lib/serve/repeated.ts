/**
 * Lists that many clients send alike. After a restart the replicas of a workload come back with the
 * same thousands of names and versions: who sends the same bytes as another gets what was read then.
 *
 * @module
 */
import { hash } from "../base/mod.ts";
import type { HeldVersions } from "./versions.ts";

/** What the lists of a request hold. Shared, and never changed. */
export interface Lists {
  readonly names: readonly string[];
  readonly unsubscribe: readonly string[];
  readonly versions: HeldVersions | undefined;
}

/** Shorter lists are read as fast as they are recognised. */
const LEAST = 8 * 1024;
/** Bytes of requests kept to recognise others by; what was used last stays. */
const MOST = 16 * 1024 * 1024;

/** Lists read before, by the hash of their bytes. */
export interface Repeated {
  /** What these bytes say, read anew when they were not met lately. */
  read(bytes: Uint8Array, read: () => Lists): Lists;
  /** Bytes kept. */
  readonly bytes: number;
}

/** Nothing read yet. */
export function repeated(): Repeated {
  const known = new Map<string, { readonly lists: Lists; readonly bytes: number }>();
  let total = 0;
  return {
    read(bytes, read) {
      if (bytes.byteLength < LEAST) return read();
      const key = hash(bytes);
      const found = known.get(key);
      if (found) {
        known.delete(key);
        known.set(key, found);
        return found.lists;
      }
      const lists = read();
      known.set(key, { lists, bytes: bytes.byteLength });
      total += bytes.byteLength;
      for (const [oldest, entry] of known) {
        if (total <= MOST) break;
        known.delete(oldest);
        total -= entry.bytes;
      }
      return lists;
    },
    get bytes() {
      return total;
    },
  };
}
