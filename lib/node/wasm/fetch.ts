/**
 * Fetches modules from URLs and registries, with retries.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { credentialsFor } from "./credentials.ts";
import { fetches } from "./metrics.ts";
import { type ImageReference, imageText, type ModuleReference } from "./reference.ts";
import { isTransient, type Manifest, type Registry, registryOf } from "./registry.ts";
import { fetchBytes, FetchError } from "./request.ts";
import { unboxed } from "./unbox.ts";

export interface FetchLimits {
  /** Retries after failures that may pass. */
  readonly maxRetries: number;
  /** Time limit of one attempt, ms. */
  readonly timeoutMs: number;
  /** Hosts that need neither TLS nor a valid certificate; `*`: all. */
  readonly insecure: readonly string[];
  /** Largest module, bytes; default 256 MiB. */
  readonly maxBytes?: number;
  /** First pause before a retry, ms; each further one is twice as long; default 500. */
  readonly pauseMs?: number;
}

/** A module to fetch. */
export interface FetchRequest {
  readonly reference: ModuleReference;
  /** Digits of the SHA-256 sum that the module, or the image's manifest, must have; empty: any. */
  readonly sha256: string;
  /** JSON of the pull secret. */
  readonly secret: string | undefined;
}

const MAX_BYTES = 256 * 1024 * 1024;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Fetches a module.
 *
 * @throws FetchError with a sentence that names the address and the reason
 */
export async function fetchModule(
  request: FetchRequest,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await retrying(
      limits,
      signal,
      () =>
        request.reference.kind === "url"
          ? fromUrl(request.reference.url, request, limits)
          : fromImage(request.reference.image, request, limits),
    );
    fetches.inc({ result: "success" });
    return bytes;
  } catch (error) {
    const mismatch = error instanceof ChecksumError;
    fetches.inc({ result: mismatch ? "checksum_mismatch" : "download_failure" });
    throw error;
  }
}

/** Asks a registry for the version of an image. */
export function imageVersion(
  image: ImageReference,
  secret: string | undefined,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Manifest> {
  return retrying(limits, signal, () => openImage(image, secret, limits).manifest());
}

/** The content is not what the sum says. */
class ChecksumError extends FetchError {
  constructor(what: string, actual: string, wanted: string) {
    super(`${what} has the SHA-256 sum ${actual}, not ${wanted}`, false);
  }
}

async function fromUrl(
  url: URL,
  { sha256 }: FetchRequest,
  limits: FetchLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const maxBytes = limits.maxBytes ?? MAX_BYTES;
  const insecure = isInsecure(url.host, limits);
  const { status, body } = await fetchBytes(url, {
    insecure,
    timeoutMs: limits.timeoutMs,
    maxBytes,
  });
  if (status !== 200) {
    throw new FetchError(`${url.origin}${url.pathname} answers ${status}`, isTransient(status));
  }
  const content = await unboxed(body, maxBytes);
  // The sum may be that of the file as it is served, which the proxy would check, or of the module.
  const sums = [body, content].map(sumOf);
  if (sha256 !== "" && !sums.includes(sha256)) {
    throw new ChecksumError(`${url.origin}${url.pathname}`, sums[1]!, sha256);
  }
  return content;
}

async function fromImage(
  image: ImageReference,
  { sha256, secret }: FetchRequest,
  limits: FetchLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const registry = openImage(image, secret, limits);
  const { digests, layer } = await registry.manifest();
  if (sha256 !== "" && !digests.includes(`sha256:${sha256}`)) {
    throw new ChecksumError(imageText(image), digests[0]!.slice("sha256:".length), sha256);
  }
  return await unboxed(await registry.layer(layer), limits.maxBytes ?? MAX_BYTES);
}

function openImage(
  image: ImageReference,
  secret: string | undefined,
  limits: FetchLimits,
): Registry {
  return registryOf(image, {
    credentials: credentialsFor(image.registry, secret),
    insecure: isInsecure(image.registry, limits),
    timeoutMs: limits.timeoutMs,
    maxBytes: limits.maxBytes ?? MAX_BYTES,
  });
}

function isInsecure(host: string, { insecure }: FetchLimits): boolean {
  return insecure.includes("*") || insecure.includes(host);
}

/** Digits of the SHA-256 sum. */
export function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function retrying<T>(
  { maxRetries, pauseMs = PAUSE_MS }: FetchLimits,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retry = 0;; retry++) {
    try {
      return await attempt();
    } catch (error) {
      const isLast = !(error instanceof FetchError) || !error.transient || retry >= maxRetries;
      if (isLast || signal.aborted) throw error;
      const backoff = { first: pauseMs, longest: LONGEST_PAUSE_MS, growth: 2 };
      await sleep(jittered(pauseAfter(retry + 1, backoff)), signal);
    }
  }
}
