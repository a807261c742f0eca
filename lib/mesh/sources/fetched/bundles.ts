/**
 * Trust bundles: the authorities of other trust domains, fetched from SPIFFE bundle endpoints.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { type Logger, scope } from "../../../kit/log/mod.ts";
import { addressFilter } from "./addresses.ts";
import { fetchJson, type FetchOptions } from "./fetch.ts";
import { backOff, type Loaded, type Refreshing, startRefreshing } from "./refresh.ts";

const log: Logger = scope("bundles");

/** Milliseconds until an attempt is given up. */
const TIMEOUT_MS = 5_000;

/** Milliseconds until a bundle without a refresh hint is fetched again; the default of SPIFFE. */
const REFRESH_MS = 5 * 60_000;

/** Bounds of the refresh hint, in milliseconds. */
const SOONEST_MS = 10_000;
const LATEST_MS = 24 * 60 * 60_000;

/** Settings of a source of bundles. */
export interface BundleSourceOptions {
  /** Ranges of internal addresses that bundles may be fetched from. */
  readonly allowed?: readonly string[];
  /** PEM of the authorities of the servers; default: those of the system. */
  readonly authorities?: string;
  /** Milliseconds until a bundle without a refresh hint is fetched again. For tests. */
  readonly refreshMs?: number;
  /** Called with the address and the PEM of a bundle that is new or has changed. */
  readonly onBundle: (url: string, pem: string) => void;
}

/**
 * Starts a source without addresses. A bundle stays in use until the next success; before the first
 * one it has no authorities.
 */
export function startBundleSource(options: BundleSourceOptions): Refreshing<string> {
  const { authorities } = options;
  const admits = addressFilter(options.allowed);
  const { refreshMs = REFRESH_MS } = options;
  return startRefreshing({
    refreshMs,
    retryMs: backOff(refreshMs),
    load: (url, signal) => fetchBundle(url, { admits, timeoutMs: TIMEOUT_MS, authorities, signal }),
    same: (a, b) => a === b,
    onChange: options.onBundle,
    onFailure: ({ error, failures, stored }) => {
      if (failures === 1) log.warn(messageOf(error), { kept: stored });
    },
  });
}

/**
 * Fetches a bundle: the certificates of its authorities as PEM.
 *
 * @throws MeshError `bundle-fetch`
 */
export async function fetchBundle(url: string, options: FetchOptions): Promise<Loaded<string>> {
  try {
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new Error("its address does not begin with https");
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

/** Reads a bundle; throws an `Error` for another text, and for a bundle without X.509 authorities. */
export function readBundle(text: string): Loaded<string> {
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

/** The single certificate of a key of the bundle, as PEM. */
function certificateOf(chain: unknown): string {
  const [der] = Array.isArray(chain) && chain.length === 1 ? chain : [];
  if (typeof der !== "string") throw new Error("a key of the bundle has not one certificate");
  return new X509Certificate(Buffer.from(der, "base64")).toString().trimEnd() + "\n";
}
