/**
 * The cloud platform that the workload's machine belongs to: named by `CLOUD_PLATFORM`, or found by
 * asking the metadata server that all three platforms have at one link-local address.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { PlatformFacts } from "./ask.ts";
import { aws, azure, gcp, gcpFacts, type PlatformReader } from "./clouds.ts";

/** Settings of the platform. */
export interface PlatformOptions {
  /** `CLOUD_PLATFORM`; undefined: it is detected. */
  readonly name: string | undefined;
  /** `CLOUDPLAT_METADATA`: `PROJECT|NUMBER|CLUSTER|ZONE`. */
  readonly declared: string | undefined;
  /** Base URL of the metadata server. Default: that of the platforms. */
  readonly base?: string;
  /** Time for all requests, ms. Default: 1 s to detect a platform, 5 s for a named one. */
  readonly patienceMs?: number;
  /** Opens a connection to the metadata server; default: by TCP. */
  readonly connect?: (to: Deno.ConnectOptions) => Promise<Disposable>;
}

/** Address of the metadata servers of all three platforms. */
const METADATA_SERVER = "http://169.254.169.254";
const DETECTION_MS = 1000;
const NAMED_MS = 5000;
/**
 * Time in which a metadata server accepts a connection when a platform is detected, as waits of a length
 * in ms: the server is on the machine's own link, and without one most networks drop what is sent to it.
 * A single wait would also pass while the agent itself has no time to see the connection.
 */
const CONNECTION = { waits: 3, ms: 100 };
/** Keys of the parts of `CLOUDPLAT_METADATA`. */
const DECLARED = ["gcp_project", "gcp_project_number", "gcp_gke_cluster_name", "gcp_location"];

const log = scope("default");

/**
 * Reads the platform's metadata. Without an answer in time the agent starts without them, with a
 * warning if the platform was named.
 */
export async function readPlatform(options: PlatformOptions): Promise<PlatformFacts | undefined> {
  const { name, base = METADATA_SERVER } = options;
  if (name === "none") return undefined;
  const declared = declaredMetadata(options.declared);
  // The declaration is complete: nobody needs to be asked.
  if (name !== "aws" && name !== "azure" && Object.keys(declared).length === DECLARED.length) {
    return gcpFacts(declared);
  }
  const readers: Readonly<Record<string, PlatformReader>> = { aws, azure, gcp: gcp(declared) };
  const asked = name ? { [name]: readers[name]! } : readers;
  const ending = new AbortController();
  const patience = AbortSignal.timeout(options.patienceMs ?? (name ? NAMED_MS : DETECTION_MS));
  const signal = AbortSignal.any([patience, ending.signal]);
  if (!name) void endWithoutConnection(base, options.connect ?? connectTcp, ending);
  const requests = Object.entries(asked).map(async ([platform, read]) => {
    const facts = await read({ base, signal });
    return { platform, facts };
  });
  try {
    const { platform, facts } = await Promise.any(requests);
    log.info("the machine belongs to a cloud platform", { platform, ...facts.locality });
    return facts;
  } catch (error) {
    if (name) {
      const reason = messageOf(error instanceof AggregateError ? error.errors[0] : error);
      log.warn("the cloud platform gave no metadata; starting without them", {
        platform: name,
        reason,
      });
    }
    return undefined;
  } finally {
    ending.abort();
    await Promise.allSettled(requests);
  }
}

async function connectTcp(to: Deno.ConnectOptions): Promise<Disposable> {
  return await Deno.connect(to);
}

/** Ends the requests if nobody accepts a connection. */
async function endWithoutConnection(
  base: string,
  connect: NonNullable<PlatformOptions["connect"]>,
  ending: AbortController,
): Promise<void> {
  const { hostname, port } = new URL(base);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ending.signal]);
  const connecting = connect({ hostname, port: Number(port || "80"), signal })
    .then((connection) => {
      connection[Symbol.dispose]();
      return true;
    }, () => false);
  let isConnected: boolean | undefined;
  void connecting.then((is) => isConnected = is);
  for (let i = 0; i < CONNECTION.waits && isConnected === undefined; i++) {
    await Promise.race([sleep(CONNECTION.ms, signal), connecting]);
  }
  over.abort();
  if (isConnected !== true) ending.abort();
}

function declaredMetadata(text: string | undefined): Record<string, string> {
  const parts = (text ?? "").split("|").map((part) => part.trim());
  return Object.fromEntries(
    DECLARED.map((key, index) => [key, parts[index] ?? ""]).filter(([, value]) => value),
  );
}
