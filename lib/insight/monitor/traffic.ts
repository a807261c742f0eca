/**
 * Requests between workloads and services in the last minute, from a Prometheus that reads the
 * metrics of the proxies.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { queryPrometheus, type Series } from "../../kit/prometheus/mod.ts";
import { MESH_PROMETHEUS_ADDRESS } from "./variables.ts";

/** Requests from a workload to a service. */
export interface TrafficEdge {
  /** `WORKLOAD.NAMESPACE`; `unknown` for clients without proxy. */
  readonly from: string;
  /** Host of the service, as the proxies name it. */
  readonly to: string;
  /** Requests in a second. */
  readonly rate: number;
  /** Share of responses with status 500 to 599, or without status: 0 to 1. */
  readonly errors: number;
  /** Share of requests that came over mutual TLS, 0 to 1; unset if no proxy of the service said it. */
  readonly mutual?: number;
}

/** The traffic of the last minute, or the reason why it is not known. */
export type Traffic = { readonly edges: readonly TrafficEdge[] } | { readonly fault: string };

/** Longest wait for an answer, in milliseconds: a page waits for it. */
const TIMEOUT_MS = 2_000;
/** Answers are used for this time in milliseconds. */
const FRESH_MS = 5_000;

const LABELS = "reporter,source_workload,source_workload_namespace,destination_service," +
  "response_code,connection_security_policy";
const QUERY = `sum by (${LABELS}) (rate(mesh_requests_total[1m])) > 0`;

/** Reads the traffic; `undefined` when no Prometheus is configured. */
export function createTrafficReader(): (() => Promise<Traffic>) | undefined {
  const base = MESH_PROMETHEUS_ADDRESS.get().replace(/\/+$/, "");
  if (base === "") return undefined;
  let last: { readonly at: number; readonly traffic: Promise<Traffic> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > FRESH_MS) last = { at: now, traffic: read(base) };
    return last.traffic;
  };
}

async function read(address: string): Promise<Traffic> {
  try {
    const question = { address, expression: QUERY, timeoutMs: TIMEOUT_MS };
    return { edges: trafficOf(await queryPrometheus(question)) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

/**
 * The edges of the series of `QUERY`, the busiest first. Both proxies of a request count it: the
 * count of the client's proxy is used where there is one, because it has the errors of connections,
 * too.
 */
export function trafficOf(series: readonly Series[]): TrafficEdge[] {
  const found = new Map<string, Record<string, Side>>();
  for (const { labels, value: rate } of series) {
    if (!(rate > 0) || rate === Infinity) continue;
    const { reporter = "destination", destination_service: to = "unknown" } = labels;
    const id = JSON.stringify([sourceOf(labels), to]);
    const sides = found.get(id) ?? {};
    found.set(id, sides);
    const side = sides[reporter === "source" ? "source" : "destination"] ??= noRequests();
    side.rate += rate;
    if (/^(5\d\d|0)$/.test(labels.response_code ?? "")) side.errors += rate;
    const { connection_security_policy: security } = labels;
    if (security === "mutual_tls") side.mutual += rate;
    if (security === "mutual_tls" || security === "none") side.secured += rate;
  }
  return [...found].map(([id, { source, destination }]) => {
    const [from, to] = JSON.parse(id) as [string, string];
    const { rate, errors } = source ?? destination!;
    // Only the server's proxy knows how a connection arrived.
    const { mutual, secured } = destination ?? noRequests();
    return {
      from,
      to,
      rate,
      errors: errors / rate,
      ...secured > 0 && { mutual: mutual / secured },
    };
  }).sort((a, b) => b.rate - a.rate || (a.to < b.to ? -1 : 1));
}

/** Requests that one side counted, in a second. */
interface Side {
  rate: number;
  errors: number;
  /** Those over mutual TLS, and those of which it is known whether they were. */
  mutual: number;
  secured: number;
}

function noRequests(): Side {
  return { rate: 0, errors: 0, mutual: 0, secured: 0 };
}

function sourceOf(labels: Readonly<Record<string, string>>): string {
  const { source_workload: workload = "unknown", source_workload_namespace: namespace } = labels;
  return workload === "unknown" || namespace === undefined ? workload : `${workload}.${namespace}`;
}
