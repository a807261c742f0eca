/**
 * The used parts of the metrics library. Its entry point also loads collectors and a tracing
 * interface, which costs 8 ms of each start.
 *
 * @module
 */
import type prom from "prom-client";
import counter from "prom-client/lib/counter.js";
import gauge from "prom-client/lib/gauge.js";
import histogram from "prom-client/lib/histogram.js";
import registry from "prom-client/lib/registry.js";

export const PromCounter: typeof prom.Counter = counter;
export const PromGauge: typeof prom.Gauge = gauge;
export const PromHistogram: typeof prom.Histogram = histogram;
/** A registry of metrics. */
export const PromRegistry: typeof prom.Registry = registry;
