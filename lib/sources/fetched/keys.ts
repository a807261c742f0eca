/**
 * Keys of token issuers, fetched and kept fresh.
 *
 * @module
 */
import { MeshError, messageOf } from "../../base/mod.ts";
import { type Logger, scope } from "../../log/mod.ts";
import { counter } from "../../metrics/mod.ts";
import { addressFilter } from "./addresses.ts";
import { fetchJson, type FetchOptions } from "./fetch.ts";
import { type Fetching, startFetching } from "./source.ts";

const log: Logger = scope("jwks");

const fetched = counter({
  name: "pilot_jwks_resolver_network_fetch_success_total",
  help: "Sets of keys that were fetched.",
});
const missed = counter({
  name: "pilot_jwks_resolver_network_fetch_fail_total",
  help: "Attempts to fetch a set of keys that failed.",
});

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
export type KeySource = Fetching;

/**
 * Starts a source without addresses. Keys that were fetched once stay until the
 * next success; until the first one there are none, and no token is believed.
 */
export function startKeySource(options: KeySourceOptions): KeySource {
  const { insecure } = options;
  const admits = addressFilter(options.allowed);
  return startFetching({
    refreshMs: options.refreshMs,
    fetch: async (uri, signal) => ({
      value: await fetchKeys(uri, { admits, timeoutMs: TIMEOUT_MS, insecure, signal }),
    }),
    same: (a, b) => a === b,
    onFetched: (uri, jwks) => options.onKeys(new Map([[uri, { jwks }]])),
    onAttempt: (succeeded) => (succeeded ? fetched : missed).inc(),
    log,
  });
}

/**
 * Fetches a JSON Web Key Set.
 *
 * @throws MeshError `jwks-fetch` when there is none to be had
 */
export async function fetchKeys(uri: string, options: FetchOptions): Promise<string> {
  try {
    const text = await fetchJson(new URL(uri), options);
    if (!isKeySet(text)) throw new Error("the answer is not a JSON Web Key Set");
    return text;
  } catch (cause) {
    throw new MeshError("jwks-fetch", `keys of ${uri} cannot be fetched: ${messageOf(cause)}`, {
      remedy: "Check jwksUri; an address inside the mesh must be opened with JWKS_ALLOWED_CIDRS.",
      cause,
    });
  }
}

function isKeySet(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && "keys" in value &&
    Array.isArray(value.keys);
}
