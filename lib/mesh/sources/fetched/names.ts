/**
 * Addresses of host names, looked up again as the answers expire.
 *
 * @module
 */
import { lookup, resolve4, resolve6 } from "node:dns/promises";
import { startRefreshing } from "./refresh.ts";

/** The answer to a look-up. */
export interface ResolvedName {
  /** IP addresses; may be empty. */
  readonly addresses: readonly string[];
  /** Milliseconds for which the answer is valid; `undefined` when the answer does not say. */
  readonly ttlMs?: number;
}

/** Looks up a name; rejects when no server answers. */
export type Resolve = (name: string) => Promise<ResolvedName>;

/** Settings of a source of names. */
export interface NameSourceOptions {
  readonly resolve?: Resolve;
  /** Called with a name that was not resolved, and the reason. */
  readonly onFailure?: (name: string, error: unknown) => void;
  /** Called when the addresses of a name have changed. */
  readonly onChange: () => void;
  /** Runs a function later; returns a function that cancels it. For tests. */
  readonly timer?: (ms: number, run: () => void) => () => void;
}

/** Names and their addresses. */
export interface NameSource extends Disposable {
  /** Sets the requested names. */
  request(names: readonly string[]): void;
  /** Addresses of a name, sorted; empty until it is resolved. */
  addressesOf(name: string): readonly string[];
}

/** Bounds of an answer's lifetime in milliseconds, and the lifetime of one that does not say. */
const TTL_MS = { least: 5_000, most: 300_000, default: 60_000 } as const;

/** Milliseconds until a failed look-up is tried again. */
const RETRY_MS = 10_000;

/** Starts without names. An answer stays in use while later look-ups fail. */
export function startNameSource(
  { resolve = resolveBySystem, onChange, onFailure, timer = unrefTimer }: NameSourceOptions,
): NameSource {
  const names = startRefreshing<readonly string[]>({
    load: async (name) => {
      const { addresses, ttlMs = TTL_MS.default } = await resolve(name);
      return {
        value: [...new Set(addresses)].sort(),
        refreshMs: Math.min(TTL_MS.most, Math.max(TTL_MS.least, ttlMs)),
      };
    },
    same: (a, b) => a.join() === b.join(),
    refreshMs: TTL_MS.default,
    retryMs: () => RETRY_MS,
    onChange,
    onFailure: ({ name, error }) => onFailure?.(name, error),
    timer,
  });
  return {
    request: names.request,
    addressesOf: (name) => names.get(name) ?? [],
    [Symbol.dispose]: () => names[Symbol.dispose](),
  };
}

function unrefTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}

/**
 * Asks the name servers, which say how long answers are valid; for names that they do not know, the
 * system's own tables.
 */
async function resolveBySystem(name: string): Promise<ResolvedName> {
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
