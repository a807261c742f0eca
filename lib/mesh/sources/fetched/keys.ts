/**
 * Key sets of token issuers, fetched and fetched again.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { type Logger, scope } from "../../../kit/log/mod.ts";
import { counter } from "../../../kit/metrics/mod.ts";
import { discoveryUri } from "../../model/mod.ts";
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

/** Milliseconds until a request of an attempt is given up. */
const TIMEOUT_MS = 5_000;

/** Redirects that a request for keys or a discovery document follows. */
const REDIRECTS = 5;

/** Settings of a source of keys. */
export interface KeySourceOptions {
  /** Milliseconds until keys are fetched again. */
  readonly refreshMs: number;
  /** Do not verify certificates of servers. */
  readonly insecure?: boolean;
  /** Ranges of internal addresses that keys may be fetched from. */
  readonly allowed?: readonly string[];
  /** Called with key sets that are new or have changed, by name. */
  readonly onKeys: (keys: ReadonlyMap<string, { readonly jwks?: string }>) => void;
}

/**
 * Starts a source without names. Keys stay in use until the next success; before the first one
 * there are none, and no token is accepted.
 */
export function startKeySource(options: KeySourceOptions): Refreshing<string> {
  const { insecure } = options;
  const admits = addressFilter(options.allowed);
  return startRefreshing({
    refreshMs: options.refreshMs,
    retryMs: backOff(options.refreshMs),
    load: async (name, signal) => ({
      value: await fetchKeys(name, { admits, timeoutMs: TIMEOUT_MS, insecure, signal }),
    }),
    same: (a, b) => a === b,
    onChange: (name, jwks) => options.onKeys(new Map([[name, { jwks }]])),
    onSuccess: () => fetched.inc(),
    onFailure: ({ error, failures, stored }) => {
      missed.inc();
      if (failures === 1) log.warn(messageOf(error), { kept: stored });
    },
  });
}

/**
 * Fetches a JSON Web Key Set: from the address that is its name, or from the one that the
 * discovery document of its issuer names.
 *
 * @param name see `keySetName`
 * @throws MeshError `jwks-fetch`
 */
export async function fetchKeys(
  name: string,
  fetchOptions: Omit<FetchOptions, "redirects">,
): Promise<string> {
  const options = { ...fetchOptions, redirects: REDIRECTS };
  const discovery = discoveryUri(name);
  try {
    const address = discovery === undefined
      ? new URL(name)
      : keysAddress(await fetchJson(new URL(discovery), options), discovery);
    const text = await fetchJson(address, options);
    if (!isKeySet(text)) throw new Error("the answer is not a JSON Web Key Set");
    return text;
  } catch (cause) {
    const message = discovery === undefined
      ? `keys of ${name} cannot be fetched: ${messageOf(cause)}`
      : `keys cannot be found by ${discovery}: ${messageOf(cause)}`;
    const remedy = discovery === undefined ? "Check jwksUri" : "Check issuer, or set jwksUri";
    throw new MeshError("jwks-fetch", message, {
      remedy: `${remedy}; an address inside the mesh must be opened with JWKS_ALLOWED_CIDRS.`,
      cause,
    });
  }
}

/**
 * The address of the keys in a discovery document (`jwks_uri`).
 *
 * @param source address of the document: keys of one that was fetched by TLS are fetched by TLS
 */
function keysAddress(document: string, source: string): URL {
  const value: unknown = JSON.parse(document);
  const uri = typeof value === "object" && value !== null && "jwks_uri" in value
    ? value.jwks_uri
    : undefined;
  if (typeof uri !== "string" || !URL.canParse(uri)) {
    throw new Error("the discovery document has no jwks_uri");
  }
  const url = new URL(uri);
  const schemes = source.startsWith("https:") ? ["https:"] : ["https:", "http:"];
  if (!schemes.includes(url.protocol)) {
    throw new Error(
      `the jwks_uri ${JSON.stringify(uri)} does not begin with ${schemes.join("// or ")}//`,
    );
  }
  return url;
}

function isKeySet(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && "keys" in value &&
    Array.isArray(value.keys);
}
