/**
 * What is fetched from some addresses, and kept fresh.
 *
 * @module
 */
import { messageOf } from "../../base/mod.ts";
import type { Logger } from "../../log/mod.ts";

/** After a failure the next attempt comes after so long, ms, then after twice that, and so on. */
const FIRST_RETRY_MS = 1_000;

/** What came of an attempt. */
export interface Fetched<T> {
  readonly value: T;
  /** What the server says of when to come again, ms. */
  readonly refreshMs?: number | undefined;
}

/** How something is fetched, and who hears of it. */
export interface FetchingOptions<T> {
  /** How often it is fetched again where the server does not say, ms. */
  readonly refreshMs: number;
  readonly fetch: (uri: string, signal: AbortSignal) => Promise<Fetched<T>>;
  readonly same: (a: T, b: T) => boolean;
  /** Called with what came anew. */
  readonly onFetched: (uri: string, value: T) => void;
  /** Called after each attempt. */
  readonly onAttempt?: (succeeded: boolean) => void;
  readonly log: Logger;
}

/** What is fetched from some addresses. */
export interface Fetching extends Disposable {
  /** Says which addresses are wanted; others are forgotten. */
  want(uris: readonly string[]): void;
}

interface Entry<T> {
  readonly closing: AbortController;
  value?: T;
  timer?: ReturnType<typeof setTimeout>;
  failures: number;
}

/** Starts without addresses. What was fetched once stays until the next success. */
export function startFetching<T>(options: FetchingOptions<T>): Fetching {
  const { log } = options;
  const entries = new Map<string, Entry<T>>();

  const attempt = async (uri: string, entry: Entry<T>): Promise<void> => {
    const { signal } = entry.closing;
    let { refreshMs } = options;
    try {
      const fetched = await options.fetch(uri, signal);
      if (signal.aborted) return;
      options.onAttempt?.(true);
      entry.failures = 0;
      refreshMs = fetched.refreshMs ?? refreshMs;
      if (entry.value === undefined || !options.same(entry.value, fetched.value)) {
        entry.value = fetched.value;
        options.onFetched(uri, fetched.value);
      }
    } catch (error) {
      if (signal.aborted) return;
      options.onAttempt?.(false);
      if (entry.failures++ === 0) log.warn(messageOf(error), { kept: entry.value !== undefined });
    }
    const delay = entry.failures === 0
      ? refreshMs
      : Math.min(FIRST_RETRY_MS * 2 ** (entry.failures - 1), options.refreshMs);
    entry.timer = setTimeout(() => void attempt(uri, entry), delay);
  };

  const forget = (uri: string, entry: Entry<T>): void => {
    entry.closing.abort();
    clearTimeout(entry.timer);
    entries.delete(uri);
  };

  return {
    want: (uris) => {
      const wanted = new Set(uris);
      for (const [uri, entry] of entries) if (!wanted.has(uri)) forget(uri, entry);
      for (const uri of wanted) {
        if (entries.has(uri)) continue;
        const entry: Entry<T> = { closing: new AbortController(), failures: 0 };
        entries.set(uri, entry);
        void attempt(uri, entry);
      }
    },
    [Symbol.dispose]: () => {
      for (const [uri, entry] of entries) forget(uri, entry);
    },
  };
}
