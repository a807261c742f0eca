/**
 * The agent's own metrics. The status server exports them with the prefix `mesh_agent_`.
 *
 * @module
 */
import { type Counter, counter, type Gauge, gauge } from "../metrics/mod.ts";

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
