/**
 * Authorities of other trust domains, from the endpoints where SPIFFE has them published.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { MeshError, messageOf } from "../../base/mod.ts";
import { type Logger, scope } from "../../log/mod.ts";
import { addressFilter } from "./addresses.ts";
import { fetchJson, type FetchOptions } from "./fetch.ts";
import { type Fetched, type Fetching, startFetching } from "./source.ts";

const log: Logger = scope("bundles");

/** An attempt takes no longer than this, ms. */
const TIMEOUT_MS = 5_000;

/** How often a bundle is fetched again that does not say, ms: SPIFFE's own word. */
const REFRESH_MS = 5 * 60_000;

/** A bundle that wants to be fetched more often than this, ms, or more seldom, is not obeyed. */
const SOONEST_MS = 10_000;
const LATEST_MS = 24 * 60 * 60_000;

/** What a source of bundles is started with. */
export interface BundleSourceOptions {
  /** Ranges inside that bundles may be fetched from. */
  readonly allowed?: readonly string[];
  /** PEM of those who vouch for the servers; default: the system's authorities. */
  readonly authorities?: string;
  /** For tests: how often bundles are fetched again that do not say. */
  readonly refreshMs?: number;
  /** Called with the PEM of a bundle that came anew, by its address. */
  readonly onBundle: (url: string, pem: string) => void;
}

/**
 * Starts a source without addresses. A bundle that was fetched once stays until the next success;
 * until the first one its authorities vouch for nobody.
 */
export function startBundleSource(options: BundleSourceOptions): Fetching {
  const { authorities } = options;
  const admits = addressFilter(options.allowed);
  return startFetching({
    refreshMs: options.refreshMs ?? REFRESH_MS,
    fetch: (url, signal) =>
      fetchBundle(url, { admits, timeoutMs: TIMEOUT_MS, authorities, signal }),
    same: (a, b) => a === b,
    onFetched: options.onBundle,
    log,
  });
}

/**
 * Fetches a bundle: the certificates of its authorities as PEM.
 *
 * @throws MeshError `bundle-fetch` when there is none to be had
 */
export async function fetchBundle(url: string, options: FetchOptions): Promise<Fetched<string>> {
  try {
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new Error("its address is not of https");
    return readBundle(await fetchJson(parsed, options));
  } catch (cause) {
    const message = `the trust bundle of ${url} cannot be fetched: ${messageOf(cause)}`;
    throw new MeshError("bundle-fetch", message, {
      remedy: "Check spiffeBundleUrl; an address inside the mesh must be opened with " +
        "JWKS_ALLOWED_CIDRS.",
      cause,
    });
  }
}

/** Reads a bundle; throws an `Error` for a text that is none, or that has no authority of certificates. */
export function readBundle(text: string): Fetched<string> {
  const bundle: unknown = JSON.parse(text);
  if (!isRecord(bundle) || !Array.isArray(bundle.keys)) {
    throw new Error("the answer is not a trust bundle");
  }
  const certificates = bundle.keys.filter(isRecord)
    .filter(({ use }) => use === "x509-svid")
    .map(({ x5c }) => certificateOf(x5c));
  if (certificates.length === 0) throw new Error("the bundle has no certificate of an authority");
  const hint = bundle.spiffe_refresh_hint;
  return {
    value: certificates.join(""),
    refreshMs: typeof hint === "number" && hint > 0
      ? Math.min(Math.max(hint * 1_000, SOONEST_MS), LATEST_MS)
      : undefined,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The one certificate of an authority's key, as PEM. */
function certificateOf(chain: unknown): string {
  const [der] = Array.isArray(chain) && chain.length === 1 ? chain : [];
  if (typeof der !== "string") throw new Error("a key of the bundle has not one certificate");
  return new X509Certificate(Buffer.from(der, "base64")).toString().trimEnd() + "\n";
}
