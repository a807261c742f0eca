/**
 * Key sets of token issuers, fetched and fetched again.
 *
 * @module
 */
import { MeshError, messageOf } from "../../base/mod.ts";
import { type Logger, scope } from "../../log/mod.ts";
import { counter } from "../../metrics/mod.ts";
import { addressFilter } from "./addresses.ts";
import { fetchJson, type FetchOptions } from "./fetch.ts";
import { backOff, type Refreshing, startRefreshing } from "./refresh.ts";

const log: Logger = scope("jwks");

const fetched = counter({
  name: "pilot_jwks_resolver_network_fetch_success_total",
  help: "Sets of keys that were fetched.",
});
const missed = counter({
  name: "pilot_jwks_resolver_network_fetch_fail_total",
  help: "Attempts to fetch a set of keys that failed.",
});

/** Milliseconds until an attempt is given up. */
const TIMEOUT_MS = 5_000;

/** Settings of a source of keys. */
export interface KeySourceOptions {
  /** Milliseconds until keys are fetched again. */
  readonly refreshMs: number;
  /** Do not verify certificates of servers. */
  readonly insecure?: boolean;
  /** Ranges of internal addresses that keys may be fetched from. */
  readonly allowed?: readonly string[];
  /** Called with key sets that are new or have changed, by address. */
  readonly onKeys: (keys: ReadonlyMap<string, { readonly jwks?: string }>) => void;
}

/**
 * Starts a source without addresses. Keys stay in use until the next success; before the first one
 * there are none, and no token is accepted.
 */
export function startKeySource(options: KeySourceOptions): Refreshing<string> {
  const { insecure } = options;
  const admits = addressFilter(options.allowed);
  return startRefreshing({
    refreshMs: options.refreshMs,
    retryMs: backOff(options.refreshMs),
    load: async (uri, signal) => ({
      value: await fetchKeys(uri, { admits, timeoutMs: TIMEOUT_MS, insecure, signal }),
    }),
    same: (a, b) => a === b,
    onChange: (uri, jwks) => options.onKeys(new Map([[uri, { jwks }]])),
    onSuccess: () => fetched.inc(),
    onFailure: ({ error, failures, stored }) => {
      missed.inc();
      if (failures === 1) log.warn(messageOf(error), { kept: stored });
    },
  });
}

/**
 * Fetches a JSON Web Key Set.
 *
 * @throws MeshError `jwks-fetch`
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
