/**
 * The parts of the metrics library that are in use. Its entry loads all the others too, among them
 * collectors of process metrics and the tracing interface that these ask: a part of every start.
 *
 * @module
 */
import type prom from "prom-client";
import counter from "prom-client/lib/counter.js";
import gauge from "prom-client/lib/gauge.js";
import histogram from "prom-client/lib/histogram.js";
import registry from "prom-client/lib/registry.js";

/** A sum that only grows. */
export const PromCounter: typeof prom.Counter = counter;
/** A value that goes up and down. */
export const PromGauge: typeof prom.Gauge = gauge;
/** A distribution over buckets. */
export const PromHistogram: typeof prom.Histogram = histogram;
/** Holds metrics, and writes them out. */
export const PromRegistry: typeof prom.Registry = registry;
