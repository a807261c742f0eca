/**
 * Key sets that are fetched once, for a command.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import { fetchKeys } from "./keys.ts";

/** Milliseconds for each key set, redirects and a discovery document included. */
const TIMEOUT_MS = 5_000;

/** Settings of a fetch. */
export interface KeyFetchOptions {
  /** PEM of the authorities of the servers; default: those of the system. */
  readonly authorities?: string;
  readonly signal: AbortSignal;
}

/** Fetched key sets by name, and why others are missing. */
export interface FetchedKeys {
  readonly keySets: ReadonlyMap<string, { readonly jwks: string }>;
  /** Sentences. */
  readonly faults: readonly string[];
}

/**
 * Fetches key sets at once, from any address: who runs the command could as well ask the server. Each
 * ends after some seconds, and has at most 1 MiB.
 *
 * @param names see `keySetName`
 */
export async function fetchKeySets(
  names: readonly string[],
  { authorities, signal }: KeyFetchOptions,
): Promise<FetchedKeys> {
  const options = {
    ...{ admits: () => true, timeoutMs: TIMEOUT_MS, signal },
    ...authorities === undefined ? {} : { authorities },
  };
  const found = await Promise.allSettled(names.map((name) => fetchKeys(name, options)));
  signal.throwIfAborted();
  return {
    keySets: new Map(
      found.flatMap((one, at) =>
        one.status === "fulfilled" ? [[names[at]!, { jwks: one.value }] as const] : []
      ),
    ),
    faults: found.flatMap((one) => one.status === "rejected" ? [messageOf(one.reason)] : []),
  };
}
