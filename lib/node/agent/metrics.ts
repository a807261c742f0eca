/**
 * The agent's own metrics. The status server exports them with the prefix `mesh_agent_`.
 *
 * @module
 */
import { buildInfo } from "../../kit/base/mod.ts";
import {
  type Counter,
  counter,
  declareQueueMetrics,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
} from "../../kit/metrics/mod.ts";

/** Messages from the proxy to the daemon. */
export const xdsRequests: Counter = counter({
  name: "xds_proxy_requests",
  help: "xDS messages relayed from the proxy to the daemon",
});
/** Messages from the daemon to the proxy. */
export const xdsResponses: Counter = counter({
  name: "xds_proxy_responses",
  help: "xDS messages relayed from the daemon to the proxy",
});
/** Attempts to reach the daemon that failed. */
export const daemonFailures: Counter = counter({
  name: "meshd_connection_failures",
  help: "Attempts to connect to the daemon that failed",
});
/** Streams that the daemon ended. */
export const daemonTerminations: Counter = counter({
  name: "meshd_connection_terminations",
  help: "xDS streams ended by the daemon or by the loss of the connection to it",
});
/** Streams that the proxy ended. */
export const proxyTerminations: Counter = counter({
  name: "dataproxy_connection_terminations",
  help: "xDS streams ended by the proxy",
});
/** Requests to the metrics endpoint. */
export const scrapes: Counter = counter({
  name: "scrapes_total",
  help: "Requests to the metrics endpoint",
});
/** Parts of scrapes that failed; `type` is `proxy`, `application` or `agent`. */
export const scrapeFailures: Counter = counter({
  name: "scrape_failures_total",
  help: "Parts of scrapes that failed",
  labels: ["type"],
});
/** Set once, when the proxy is ready for the first time. */
export const startupSeconds: Gauge = gauge({
  name: "startup_duration_seconds",
  help: "Seconds from the start of the agent until the proxy was ready",
});

gauge({
  name: "mesh_build",
  help: "The component, and the tag it was built from.",
  labels: ["component", "tag"],
}).set({ component: "agent", tag: buildInfo.version }, 1);

// The following names are the daemon's as well, with the same texts and labels.

/** Rejections by the proxy. */
export const rejects: Counter = counter({
  name: "pilot_total_xds_rejects",
  help: "Discovery responses that a proxy rejected, by resource type.",
  labels: ["type"],
});
/** Answers to responses that are not the latest. */
export const expiredNonces: Counter = counter({
  name: "pilot_xds_expired_nonce",
  help: "Discovery requests with the nonce of an earlier response, by resource type.",
  labels: ["type"],
});
/** Streams that failed in the agent. */
export const internalErrors: Counter = counter({
  name: "pilot_total_xds_internal_errors",
  help: "Streams that failed through an error of the server itself.",
});
/** Responses that the proxy did not take in time; the relay waits on. */
export const writeTimeouts: Counter = counter({
  name: "pilot_xds_write_timeout",
  help: "Streams given up because the proxy did not take what it was sent.",
});
/** Until the proxy took a response. */
export const sendTime: Histogram = histogram({
  name: "pilot_xds_send_time",
  help: "Seconds until the transport took all responses of a push.",
  buckets: [.01, .1, 1, 3, 5, 10, 20, 30],
});

/** The mark of a type whose last answer was a rejection. */
interface RejectionMark {
  set(node: string, err: string): void;
  clear(): void;
}

/** Marks by the short name of the type. */
export const rejectedNow: Readonly<Record<string, RejectionMark>> = Object.fromEntries(
  ["cds", "eds", "lds", "rds"].map((short) => [short, markOf(short)]),
);

function markOf(short: string): RejectionMark {
  const metric = gauge({
    name: `pilot_xds_${short}_reject`,
    help: `Proxies whose last answer to ${short.toUpperCase()} was a rejection.`,
    labels: ["node", "err"],
  });
  let marked: { readonly node: string; readonly err: string } | undefined;
  const clear = () => {
    if (marked !== undefined) metric.remove(marked);
    marked = undefined;
  };
  return {
    clear,
    set(node, err) {
      clear();
      marked = { node, err };
      metric.set(marked, 1);
    },
  };
}

declareQueueMetrics();
