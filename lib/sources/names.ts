/**
 * Addresses of host names, looked up again as their answers grow old.
 *
 * @module
 */
import { lookup, resolve4, resolve6 } from "node:dns/promises";

/** What a look-up found. */
export interface FoundName {
  /** IP addresses; empty: there are none. */
  readonly addresses: readonly string[];
  /** How long the answer holds, ms; `undefined`: the answer did not say. */
  readonly ttlMs?: number;
}

/** Looks a name up; rejects when nobody answers. */
export type Resolve = (name: string) => Promise<FoundName>;

/** How names are kept. */
export interface NameSourceOptions {
  readonly resolve?: Resolve;
  /** Called with a name that was not resolved, and why. */
  readonly onFailure?: (name: string, error: unknown) => void;
  /** Called when the addresses of some name are others; never with the same ones again. */
  readonly onChange: () => void;
  /** Calls back after so many ms; returns what calls that off. */
  readonly after?: (ms: number, act: () => void) => () => void;
}

/** Names and their addresses. */
export interface NameSource extends Disposable {
  /** Says which names are wanted from now on. */
  want(names: readonly string[]): void;
  /** Addresses of a name, sorted; empty until it is known. */
  addressesOf(name: string): readonly string[];
}

/** Bounds of an answer's life, ms: neither does one that says 0 keep asking, nor does one outlive a day's change. */
const TTL_MS = { least: 5_000, most: 300_000, unsaid: 60_000 } as const;

/** After so many ms a name is tried again that nobody answered for. */
const RETRY_MS = 10_000;

/** Starts with no names. An answer stays in force while later look-ups fail. */
export function startNameSource(
  { resolve = askSystem, onChange, onFailure, after = afterMs }: NameSourceOptions,
): NameSource {
  const known = new Map<string, readonly string[]>();
  const next = new Map<string, () => void>();
  let ended = false;
  const ask = async (name: string): Promise<void> => {
    let wait = RETRY_MS;
    try {
      const { addresses, ttlMs = TTL_MS.unsaid } = await resolve(name);
      wait = Math.min(TTL_MS.most, Math.max(TTL_MS.least, ttlMs));
      if (ended || !next.has(name)) return;
      const sorted = [...new Set(addresses)].sort();
      if (sorted.join() !== (known.get(name) ?? []).join()) {
        known.set(name, sorted);
        onChange();
      }
    } catch (error) {
      // What was known of it goes on.
      if (!ended) onFailure?.(name, error);
    }
    if (!ended && next.has(name)) next.set(name, after(wait, () => void ask(name)));
  };
  return {
    want: (names) => {
      const wanted = new Set(names);
      for (const [name, callOff] of next) {
        if (wanted.has(name)) continue;
        callOff();
        next.delete(name);
        known.delete(name);
      }
      for (const name of wanted) {
        if (next.has(name)) continue;
        next.set(name, () => {});
        void ask(name);
      }
    },
    addressesOf: (name) => known.get(name) ?? [],
    [Symbol.dispose]: () => {
      ended = true;
      for (const callOff of next.values()) callOff();
      next.clear();
    },
  };
}

function afterMs(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}

/** By the name servers, which say how long answers hold; by the system's own tables where they know nothing. */
async function askSystem(name: string): Promise<FoundName> {
  const [v4, v6] = await Promise.allSettled([
    resolve4(name, { ttl: true }),
    resolve6(name, { ttl: true }),
  ]);
  const records = [v4, v6].flatMap((one) => one.status === "fulfilled" ? one.value : []);
  if (records.length > 0) {
    return {
      addresses: records.map(({ address }) => address),
      ttlMs: 1000 * Math.min(...records.map(({ ttl }) => ttl)),
    };
  }
  return { addresses: (await lookup(name, { all: true })).map(({ address }) => address) };
}
