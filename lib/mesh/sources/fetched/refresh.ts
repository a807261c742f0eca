/**
 * Values that are loaded from elsewhere by name, and loaded again as they expire: key sets, trust
 * bundles, addresses of host names.
 *
 * @module
 */
import { pauseAfter } from "../../../kit/async/mod.ts";

/** Names of what to load; calls back when they change. */
export type WatchNames = (
  onChange: (names: readonly string[]) => void,
) => { readonly value: readonly string[]; close(): void };

/** A value that was loaded. */
export interface Loaded<T> {
  readonly value: T;
  /** Milliseconds until it has to be loaded again, if its server says so. */
  readonly refreshMs?: number | undefined;
}

/** Options of loading values. */
export interface RefreshOptions<T> {
  readonly load: (name: string, signal: AbortSignal) => Promise<Loaded<T>>;
  readonly same: (a: T, b: T) => boolean;
  /** Milliseconds until a value is loaded again when its server does not say. */
  readonly refreshMs: number;
  /** Milliseconds until the next attempt after `failures` failures in a row, from 1. */
  readonly retryMs: (failures: number) => number;
  /** Called with a value that is new or has changed. */
  readonly onChange: (name: string, value: T) => void;
  /** Called after a successful attempt. */
  readonly onSuccess?: () => void;
  /** Called after a failed attempt. `stored`: true when an earlier value stays in use. */
  readonly onFailure?: (failure: Failure) => void;
  /** Runs a function later; returns a function that cancels it. */
  readonly timer?: (ms: number, run: () => void) => () => void;
}

/** A failed attempt. */
export interface Failure {
  readonly name: string;
  readonly error: unknown;
  /** Failures in a row, this one included. */
  readonly failures: number;
  /** True when an earlier value stays in use. */
  readonly stored: boolean;
}

/** A value whose last attempt to be loaded failed. */
export interface FetchFault {
  readonly name: string;
  /** The error of the last attempt. */
  readonly error: unknown;
  /** When attempts began to fail, milliseconds since the epoch. */
  readonly since: number;
  /** True when an earlier value stays in use. */
  readonly stored: boolean;
}

/** Values by name. */
export interface Refreshing<T> extends Disposable {
  /** Sets the requested names. Values of other names are forgotten. */
  request(names: readonly string[]): void;
  /** The value of a name; `undefined` before the first success. */
  get(name: string): T | undefined;
  /** The values that cannot be loaded now. */
  faults(): FetchFault[];
}

interface Entry<T> {
  readonly closing: AbortController;
  value?: T;
  cancel?: () => void;
  failures: number;
  /** The last attempt failed. */
  fault?: { readonly error: unknown; readonly since: number };
}

/** Starts without names. A value stays in use until the next success. */
export function startRefreshing<T>(options: RefreshOptions<T>): Refreshing<T> {
  const { timer = systemTimer } = options;
  const entries = new Map<string, Entry<T>>();

  const attempt = async (name: string, entry: Entry<T>): Promise<void> => {
    const { signal } = entry.closing;
    let delay: number;
    try {
      const { value, refreshMs = options.refreshMs } = await options.load(name, signal);
      if (signal.aborted) return;
      options.onSuccess?.();
      entry.failures = 0;
      delete entry.fault;
      delay = refreshMs;
      if (entry.value === undefined || !options.same(entry.value, value)) {
        entry.value = value;
        options.onChange(name, value);
      }
    } catch (error) {
      if (signal.aborted) return;
      const failures = ++entry.failures;
      entry.fault = { error, since: entry.fault?.since ?? Date.now() };
      delay = options.retryMs(failures);
      options.onFailure?.({ name, error, failures, stored: entry.value !== undefined });
    }
    entry.cancel = timer(delay, () => void attempt(name, entry));
  };

  const forget = (name: string, entry: Entry<T>): void => {
    entry.closing.abort();
    entry.cancel?.();
    entries.delete(name);
  };

  return {
    request: (names) => {
      const requested = new Set(names);
      for (const [name, entry] of entries) if (!requested.has(name)) forget(name, entry);
      for (const name of requested) {
        if (entries.has(name)) continue;
        const entry: Entry<T> = { closing: new AbortController(), failures: 0 };
        entries.set(name, entry);
        void attempt(name, entry);
      }
    },
    get: (name) => entries.get(name)?.value,
    faults: () =>
      [...entries].flatMap(([name, { fault, value }]) =>
        fault === undefined ? [] : [{ name, stored: value !== undefined, ...fault }]
      ),
    [Symbol.dispose]: () => {
      for (const [name, entry] of entries) forget(name, entry);
    },
  };
}

/** Milliseconds until the first retry of a fetch. */
const FIRST_RETRY_MS = 1_000;

/** Retries of a fetch: after 1 s, 2 s, 4 s and so on, at most as late as a refresh. */
export function backOff(refreshMs: number): (failures: number) => number {
  return (failures) =>
    pauseAfter(failures, { first: FIRST_RETRY_MS, longest: refreshMs, growth: 2 });
}

function systemTimer(ms: number, run: () => void): () => void {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
}
