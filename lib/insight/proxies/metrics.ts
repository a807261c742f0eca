import { MeshError, printable } from "../../kit/base/mod.ts";
import { dataError, type Invocation, tableText, usageError } from "../../kit/cli/mod.ts";
import { queryPrometheus } from "../../kit/prometheus/mod.ts";

import { namesCluster, openCluster, selectedPods, withPodPort } from "../cluster_access/mod.ts";

/** Longest wait for an answer, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Labels and port of the pod of a Prometheus in the namespace of the mesh. */
const PROMETHEUS = { labels: "app.kubernetes.io/name=prometheus", port: 9090 } as const;

/**
 * Prints request rates, error rates and latencies of workloads, from the Prometheus of
 * `--prometheus` or that in the namespace of the mesh.
 */
export async function metrics(call: Invocation): Promise<number> {
  const { flags } = call;
  const given = flags.string("prometheus").replace(/\/+$/, "");
  if (/^https?:\/\//.test(given)) return await metricsFrom(call, given, await namespaceOf(call));
  if (given !== "" || !await namesCluster(flags)) {
    throw usageError(
      `${call.command} needs the address of a Prometheus`,
      "Use --prometheus http://HOST:9090, or --orchconfig FILE for the one in the mesh namespace.",
    );
  }
  using cluster = await openCluster(call);
  const [pod] = await selectedPods(cluster, cluster.meshNamespace, PROMETHEUS.labels);
  if (pod === undefined) throw new TypeError("a selection has at least one pod");
  return await withPodPort(
    cluster,
    pod,
    PROMETHEUS.port,
    (base) => metricsFrom(call, base, cluster.namespace),
  );
}

/** The namespace of names that give none: that of the flag, else of the selected context. */
async function namespaceOf(call: Invocation): Promise<string> {
  const { flags, args } = call;
  const given = flags.string("namespace");
  const isNeeded = given === "" && args.some((one) => !one.includes("."));
  if (!isNeeded || !await namesCluster(flags)) return given || "default";
  using cluster = await openCluster(call);
  return cluster.namespace;
}

async function metricsFrom(
  call: Invocation,
  base: string,
  ownNamespace: string,
): Promise<number> {
  const { flags, args, io } = call;
  const seconds = Math.round(flags.number("duration") / 1000);
  if (seconds <= 0) throw usageError("--duration must be at least one second");
  const rows: string[][] = [];
  for (const given of args) {
    const dot = given.indexOf(".");
    const name = dot < 0 ? given : given.slice(0, dot);
    const namespace = dot < 0 ? ownNamespace : given.slice(dot + 1);
    const workload = `destination_workload=${JSON.stringify(name)},` +
      `destination_workload_namespace=${JSON.stringify(namespace)},reporter="destination"`;
    const query = (promql: string) => ask(call, base, promql);
    const rate = (more: string) =>
      `sum(rate(mesh_requests_total{${workload}${more}}[${seconds}s]))`;
    const quantile = (share: number) =>
      `histogram_quantile(${share}, sum(rate(mesh_request_duration_milliseconds_bucket{${workload}}` +
      `[${seconds}s])) by (le))`;
    const [total, errors, p50, p90, p99] = await Promise.all([
      query(rate("")),
      query(rate(',response_code=~"5.."')),
      query(quantile(0.5)),
      query(quantile(0.9)),
      query(quantile(0.99)),
    ]);
    if (total === undefined) {
      const time = `${seconds} s`;
      const said = `no requests to ${name}.${namespace} are recorded in the last ${time}; ` +
        "check the name and the namespace (--namespace, or NAME.NAMESPACE)";
      io.err(printable(`Note: ${said}`) + "\n");
    }
    rows.push([
      `${name}.${namespace}`,
      rateText(total),
      rateText(errors),
      ...[p50, p90, p99].map(latencyText),
    ]);
  }
  const head = ["WORKLOAD", "TOTAL RPS", "ERROR RPS", "P50 LATENCY", "P90 LATENCY", "P99 LATENCY"];
  io.out(tableText(head, rows));
  return 0;
}

function rateText(rate: number | undefined): string {
  return rate === undefined || Number.isNaN(rate) ? "0.000" : rate.toFixed(3);
}

/** A latency in milliseconds; `-` without requests. */
function latencyText(milliseconds: number | undefined): string {
  return milliseconds === undefined || Number.isNaN(milliseconds)
    ? "-"
    : `${Math.round(milliseconds)}ms`;
}

/**
 * The value of an expression of one series; `undefined` when there is no series.
 *
 * @throws {MeshError} `prometheus-unreachable`; the error of wrong input for the answer of another
 * program
 */
async function ask(
  { signal }: Invocation,
  address: string,
  expression: string,
): Promise<number | undefined> {
  try {
    const question = { address, expression, timeoutMs: TIMEOUT_MS, signal };
    return (await queryPrometheus(question))[0]?.value;
  } catch (error) {
    if (!(error instanceof MeshError && error.code === "prometheus-answer")) throw error;
    throw dataError(error.message, error.remedy, error);
  }
}
