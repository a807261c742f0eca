/**
 * Metrics of the DNS proxy.
 *
 * @module
 */
import { type Counter, counter, type Histogram, histogram } from "../../kit/metrics/mod.ts";

/** Queries of workloads. */
export const requests: Counter = counter({
  name: "dns_requests_total",
  help: "DNS requests",
});
/** Queries that were forwarded. */
export const upstreamRequests: Counter = counter({
  name: "dns_upstream_requests_total",
  help: "DNS requests forwarded to a nameserver",
});
/** Forwarded queries that no nameserver answered. */
export const upstreamFailures: Counter = counter({
  name: "dns_upstream_failures_total",
  help: "DNS requests that no nameserver answered",
});
/** Time until a nameserver answered. */
export const upstreamDuration: Histogram = histogram({
  name: "dns_upstream_request_duration_seconds",
  help: "Seconds until a nameserver answered a forwarded DNS request",
  buckets: [0.001, 0.005, 0.01, 0.1, 1, 5],
});
