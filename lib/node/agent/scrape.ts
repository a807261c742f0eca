/**
 * Merged scrape: metrics of the agent, the proxy and the application.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { scrapeFailures, scrapes } from "./metrics.ts";

/** Address of the application's metrics. */
export interface ApplicationTarget {
  readonly port: number;
  readonly path: string;
}

/** Parts to merge. */
export interface ScrapeOptions {
  /**
   * The proxy's admin API, which responds before any listener does; undefined: there is no proxy.
   */
  readonly proxy: string | undefined;
  /** `host:port` and path of the application; undefined: it is not scraped. */
  readonly application: { readonly address: string; readonly path: string } | undefined;
}

const PREFIX = "mesh_agent_";
const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const TIMEOUT_MS = 10_000;
/** Maximum timeout of a scrape, ms; less than the status server's timeout of a request. */
const LONGEST_MS = 25_000;
/** Largest response of a part, bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_HEADER = "x-prometheus-scrape-timeout-seconds";

const log = scope("monitoring");

/**
 * Parses the JSON that injection derives from the application's scrape annotations:
 * `{"scrape":"true","path":"/metrics","port":"8080"}`.
 *
 * @param own the agent's status port, which the application may not use
 * @throws MeshError `agent-metrics` for invalid JSON, or the agent's own port
 */
export function applicationTarget(text: string, own: number): ApplicationTarget | undefined {
  let value: Record<string, unknown> | undefined;
  try {
    value = Object(JSON.parse(text));
  } catch {
    value = undefined;
  }
  const port = value?.port === undefined || value.port === "" ? 80 : Number(value.port);
  const path = value?.path === undefined || value.path === "" ? "/metrics" : value.path;
  const named = Number.isInteger(port) && port > 0 && port < 65536 && typeof path === "string";
  if (value === undefined || !named) {
    throw new MeshError("agent-metrics", "MESH_METRICS_ANNOTATIONS is not of its form", {
      remedy: 'Set it to JSON such as {"scrape":"true","path":"/metrics","port":"8080"}.',
    });
  }
  if (String(value.scrape) === "false") return undefined;
  if (port === own) {
    throw new MeshError(
      "agent-metrics",
      `the application's metrics port is ${own}, which is the agent's own`,
      { remedy: "Name the port on which the application itself serves metrics." },
    );
  }
  return { port, path: path.startsWith("/") ? path : `/${path}` };
}

/**
 * Serves a scrape. Parts that fail are omitted, counted and logged. The application's part is last,
 * because its text may end with an end marker.
 */
export async function scrape(request: Request, options: ScrapeOptions): Promise<Response> {
  scrapes.inc();
  const within = timeoutOf(request.headers);
  const query = new URL(request.url).search;
  const [agent, proxy, application] = await Promise.all([
    part("agent", agentMetrics),
    part("proxy", () => options.proxy && proxyMetrics(options.proxy, query, within)),
    part("application", () => applicationMetrics(options.application, request.headers, within)),
  ]);
  const body = [agent?.body, proxy?.body, application?.body].filter((text) => text).join("");
  return new Response(body, {
    headers: { "content-type": application?.contentType ?? TEXT },
  });
}

interface Part {
  readonly contentType: string;
  readonly body: string;
}

async function part(
  type: string,
  get: () => Promise<Part> | "" | undefined,
): Promise<Part | undefined> {
  try {
    const { contentType, body } = await get() || { contentType: TEXT, body: "" };
    return { contentType, body: body === "" || body.endsWith("\n") ? body : `${body}\n` };
  } catch (error) {
    scrapeFailures.inc({ type });
    log.warn("metrics cannot be fetched", { of: type, reason: messageOf(error) });
    return undefined;
  }
}

async function agentMetrics(): Promise<Part> {
  const { body } = await expose();
  return { contentType: TEXT, body: prefixed(body) };
}

/** Adds the prefix to each name in a text exposition. */
export function prefixed(text: string): string {
  return text.replace(/^(# (?:HELP|TYPE) )?(?=[a-zA-Z_:])/gm, `$1${PREFIX}`);
}

async function proxyMetrics(address: string, query: string, within: number): Promise<Part> {
  const { body } = await fetchText(`http://${address}/stats/prometheus${query}`, {}, within);
  return { contentType: TEXT, body: meshNames(body) };
}

/** Removes the proxy's prefix from the mesh's metrics. */
export function meshNames(text: string): string {
  return text.replace(/^(# (?:HELP|TYPE) )?envoy_(?=mesh_)/gm, "$1");
}

async function applicationMetrics(
  target: ScrapeOptions["application"],
  headers: Headers,
  within: number,
): Promise<Part> {
  if (target === undefined) return { contentType: TEXT, body: "" };
  const wanted: Record<string, string> = {};
  for (const name of ["accept", "user-agent", TIMEOUT_HEADER]) {
    const value = headers.get(name);
    if (value !== null) wanted[name] = value;
  }
  const answer = await fetchText(`http://${target.address}${target.path}`, wanted, within);
  const known = /^\s*(text\/plain|application\/openmetrics-text)\s*(;|$)/i.test(answer.contentType);
  return known ? answer : { ...answer, contentType: TEXT };
}

/** A little less than the scraper's timeout, so that it gets the available parts. */
function timeoutOf(headers: Headers): number {
  const seconds = Number(headers.get(TIMEOUT_HEADER));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 900, LONGEST_MS) : TIMEOUT_MS;
}

async function fetchText(
  url: string,
  headers: Record<string, string>,
  within: number,
): Promise<Part> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(within) });
  const decoder = new TextDecoder();
  let body = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    body += decoder.decode(chunk, { stream: true });
  }
  body += decoder.decode();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return { contentType: response.headers.get("content-type") ?? TEXT, body };
}
