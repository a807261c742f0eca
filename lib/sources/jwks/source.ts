/**
 * Keys of token issuers, fetched and kept fresh.
 *
 * @module
 */
import { messageOf } from "../../base/mod.ts";
import { type Logger, scope } from "../../log/mod.ts";
import { counter } from "../../metrics/mod.ts";
import { addressFilter } from "./addresses.ts";
import { fetchKeys } from "./fetch.ts";

const log: Logger = scope("jwks");

const fetched = counter({
  name: "pilot_jwks_resolver_network_fetch_success_total",
  help: "Sets of keys that were fetched.",
});
const missed = counter({
  name: "pilot_jwks_resolver_network_fetch_fail_total",
  help: "Attempts to fetch a set of keys that failed.",
});

/** After a failure the next attempt comes after so long, ms, then after twice that, and so on. */
const FIRST_RETRY_MS = 1_000;

/** An attempt takes no longer than this, ms. */
const TIMEOUT_MS = 5_000;

/** What a source of keys is started with. */
export interface KeySourceOptions {
  /** How often keys are fetched again, ms. */
  readonly refreshMs: number;
  /** Do not verify certificates of servers. */
  readonly insecure?: boolean;
  /** Ranges inside that keys may be fetched from. */
  readonly allowed?: readonly string[];
  /** Called with what came anew. */
  readonly onKeys: (keys: ReadonlyMap<string, { readonly jwks?: string }>) => void;
}

/** Keys of some addresses. */
export interface KeySource extends Disposable {
  /** Says which addresses are wanted; others are forgotten. */
  want(uris: readonly string[]): void;
}

interface Entry {
  readonly closing: AbortController;
  jwks?: string;
  timer?: ReturnType<typeof setTimeout>;
  failures: number;
}

/**
 * Starts a source without addresses. Keys that were fetched once stay until the
 * next success; until the first one there are none, and no token is believed.
 */
export function startKeySource(options: KeySourceOptions): KeySource {
  const admits = addressFilter(options.allowed);
  const entries = new Map<string, Entry>();

  const attempt = async (uri: string, entry: Entry): Promise<void> => {
    const { signal } = entry.closing;
    try {
      const jwks = await fetchKeys(uri, {
        admits,
        timeoutMs: TIMEOUT_MS,
        insecure: options.insecure,
        signal,
      });
      if (signal.aborted) return;
      fetched.inc();
      entry.failures = 0;
      if (entry.jwks !== jwks) {
        entry.jwks = jwks;
        options.onKeys(new Map([[uri, { jwks }]]));
      }
    } catch (error) {
      if (signal.aborted) return;
      missed.inc();
      if (entry.failures++ === 0) log.warn(messageOf(error), { kept: entry.jwks !== undefined });
    }
    const delay = entry.failures === 0
      ? options.refreshMs
      : Math.min(FIRST_RETRY_MS * 2 ** (entry.failures - 1), options.refreshMs);
    entry.timer = setTimeout(() => void attempt(uri, entry), delay);
  };

  const forget = (uri: string, entry: Entry): void => {
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
        const entry: Entry = { closing: new AbortController(), failures: 0 };
        entries.set(uri, entry);
        void attempt(uri, entry);
      }
    },
    [Symbol.dispose]: () => {
      for (const [uri, entry] of entries) forget(uri, entry);
    },
  };
}
