/**
 * Runs probes against the application. Connections come from an address that interception lets
 * through, so that they do not return to the proxy.
 *
 * @module
 */
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { connect, isIPv6 } from "node:net";
import { openStream, RpcError } from "../../kit/rpc/mod.ts";
import { isLoopback } from "../../kit/web/mod.ts";
import { startOf } from "./answer.ts";
import { CHECK_PATH, healthRequest, servingStatus } from "./health.ts";
import { type HttpsClient, httpsClient } from "./https.ts";
import type { GrpcProbe, HttpProbe, Probe, TcpProbe } from "./probe_table.ts";

export interface ProbeOutcome {
  /** Status for the caller: that of the application, or 200 and 500. */
  readonly status: number;
  /** The start of the application's body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Reason of a failure without an HTTP status of the application. */
  readonly fault: string | undefined;
}

/** Options of {@link proberOf}. */
export interface ProberOptions {
  /** Address of the workload: where the application listens. */
  readonly address: string;
  /** Further addresses of the workload, which a probe may name as its host. */
  readonly own?: readonly string[];
  /** Keep the connections of HTTP probes for the next one. */
  readonly keepAlive: boolean;
  /** Offer HTTP/2 in HTTPS probes (default: true); its connections are not kept. */
  readonly http2?: boolean;
}

/** Runs probes; never throws. */
export interface Prober {
  /**
   * Runs one probe.
   *
   * @param headers headers of the caller, which HTTP probes forward
   */
  run(probe: Probe, headers: Headers, signal: AbortSignal): Promise<ProbeOutcome>;
  /** Closes kept connections. */
  close(): void;
}

/** Sources that interception does not capture; see `lib/node/capture`. */
const SOURCE = { v4: "127.0.0.6", v6: "::6" };
/** Largest response of a health service, bytes. */
const MAX_HEALTH_BYTES = 64 * 1024;
/** Headers of one connection (RFC 9110, section 7.6.1), and those that the client sets itself. */
const NOT_FORWARDED = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Creates a prober. */
export function proberOf(
  { address, own = [], keepAlive, http2 = true }: ProberOptions,
): Prober {
  const agents: Agents = {
    http: new HttpAgent({ keepAlive }),
    https: httpsClient({ keepAlive, http2 }),
  };
  return {
    async run(probe, headers, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(probe.timeoutMs)]);
      try {
        return await runProbe(probe, { address, own, agents, headers, signal: limit });
      } catch (error) {
        return failure(limit.aborted && !signal.aborted ? late(probe) : reasonOf(error));
      }
    },
    close: () => {
      agents.http.destroy();
      agents.https.close();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsClient;
}

interface Run {
  readonly address: string;
  readonly own: readonly string[];
  readonly agents: Agents;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

function runProbe(probe: Probe, run: Run): Promise<ProbeOutcome> {
  switch (probe.kind) {
    case "http":
      return http(probe, run);
    case "tcp":
      return tcp(probe, run);
    case "grpc":
      return grpc(probe, run);
  }
}

/**
 * Returns the host that a probe connects to. The status server answers everybody, so a probe of
 * another host, such as a cloud platform's metadata server, would be a proxy to it.
 */
function targetOf(host: string | undefined, { address, own }: Run): string {
  if (host === undefined) return address;
  if (host === address || own.includes(host) || isLoopback(host)) return host;
  throw new Error(`${JSON.stringify(host)} is not an address of the workload`);
}

/** Redirects are not followed: the application answered, so they are success. */
async function http(probe: HttpProbe, run: Run): Promise<ProbeOutcome> {
  const host = targetOf(probe.host, run);
  const { scheme, port, path } = probe;
  const request = {
    host,
    port,
    path,
    localAddress: sourceFor(host),
    headers: requestHeaders(probe, run.headers, host),
    signal: run.signal,
  };
  const { status, body } = scheme === "http"
    ? await startOf(requestHttp({ ...request, method: "GET", agent: run.agents.http }))
    : await run.agents.https.get(request);
  if (status < 200 || status > 599) return failure(`the application answered status ${status}`);
  return { status: status >= 300 && status < 400 ? 200 : status, body, fault: undefined };
}

/**
 * The caller's headers, then those of the probe. The host is that of the probe's headers, else that
 * of the caller with the port of the application.
 */
function requestHeaders(
  probe: HttpProbe,
  given: Headers,
  host: string,
): Record<string, string | string[]> {
  const headers = new Map<string, string[]>();
  for (const [name, value] of given) {
    if (!NOT_FORWARDED.has(name)) headers.set(name, [value]);
  }
  const called = given.get("host")?.replace(/:\d+$/, "") ?? bracketed(host);
  headers.set("host", [`${called}:${probe.port}`]);
  for (const [name] of probe.headers) headers.delete(name);
  for (const [name, value] of probe.headers) {
    const known = name === ":authority" ? "host" : name;
    headers.set(known, known === "host" ? [value] : [...headers.get(known) ?? [], value]);
  }
  if (!headers.has("host")) headers.set("host", [`${called}:${probe.port}`]);
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}

async function tcp({ host, port }: TcpProbe, run: Run): Promise<ProbeOutcome> {
  const target = targetOf(host, run);
  const socket = connect({ host: target, port, localAddress: sourceFor(target) });
  const { promise, resolve, reject } = Promise.withResolvers<ProbeOutcome>();
  const stop = () => socket.destroy(new Error("stopped"));
  run.signal.addEventListener("abort", stop, { once: true });
  socket.once("connect", () => resolve({ status: 200, body: new Uint8Array(), fault: undefined }));
  socket.once("error", reject);
  try {
    return await promise;
  } finally {
    run.signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

async function grpc({ port, service }: GrpcProbe, run: Run): Promise<ProbeOutcome> {
  const stream = openStream({
    target: `${bracketed(run.address)}:${port}`,
    path: CHECK_PATH,
    localAddress: sourceFor(run.address),
    maxReceive: MAX_HEALTH_BYTES,
  });
  const stop = () => stream.close();
  run.signal.addEventListener("abort", stop, { once: true });
  try {
    stream.send([healthRequest(service)]);
    stream.end();
    for await (const message of stream.messages) {
      const status = servingStatus(message);
      if (status !== "SERVING") return failure(`the health service says ${status}`);
      return { status: 200, body: new Uint8Array(), fault: undefined };
    }
    throw new Error("the health service ended the call without a response");
  } finally {
    run.signal.removeEventListener("abort", stop);
    stream.close();
    await stream.ended;
  }
}

function failure(fault: string): ProbeOutcome {
  return { status: 500, body: new Uint8Array(), fault };
}

function late({ timeoutMs }: Probe): string {
  return `no answer within ${timeoutMs / 1000} s`;
}

function reasonOf(error: unknown): string {
  if (error instanceof RpcError) return `${error.status}: ${error.details}`;
  return error instanceof Error ? error.message : String(error);
}

function sourceFor(address: string): string | undefined {
  if (isIPv6(address)) return SOURCE.v6;
  return /^[\d.]+$/.test(address) ? SOURCE.v4 : undefined;
}

function bracketed(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
