/**
 * Metric handles. A second declaration of a name returns the same series if kind, help and labels
 * are equal, so that a room can be composed twice in one process. Otherwise it is an error.
 *
 * @module
 */
import type prom from "prom-client";
import { MeshError } from "../base/mod.ts";
import { PromCounter, PromGauge, PromHistogram } from "./library.ts";
import { registry } from "./registry.ts";

/** Label values by label name. */
export type Labels = Readonly<Record<string, string | number>>;

/** Common properties of metrics. */
interface MetricOptions {
  /** Exported name; no suffix is added. */
  readonly name: string;
  readonly help: string;
  /** Label names; every update must set all of them. */
  readonly labels?: readonly string[];
}

/** A counter that is increased, or read from a total when the metrics are read. */
export interface CounterOptions extends MetricOptions {
  /** Called at each exposition; returns the total since the start. Only without labels. */
  readonly collect?: () => number;
}

/** A gauge that is set, or computed when the metrics are read. */
export interface GaugeOptions extends MetricOptions {
  /**
   * Called at each exposition after all series were removed: returns the value, or sets series on
   * the gauge.
   */
  readonly collect?: (gauge: Gauge) => number | void | Promise<number | void>;
}

/** Upper bounds of the buckets, ascending, in the unit of the name. */
export interface HistogramOptions extends MetricOptions {
  readonly buckets: readonly number[];
}

export interface Counter {
  inc(n?: number): void;
  inc(labels: Labels, n?: number): void;
  remove(labels: Labels): void;
}

export interface Gauge {
  set(value: number): void;
  set(labels: Labels, value: number): void;
  inc(labels?: Labels, n?: number): void;
  dec(labels?: Labels, n?: number): void;
  remove(labels: Labels): void;
}

export interface Histogram {
  observe(value: number): void;
  observe(labels: Labels, value: number): void;
}

/** Declares a counter. If a name is declared again with `collect`, the newer callback is used. */
export function counter(options: CounterOptions): Counter {
  const metric = once("counter", options, (config) => new PromCounter(config));
  const { collect } = options;
  if (collect !== undefined) {
    (metric as prom.Counter & { collect?: () => void }).collect = () => {
      metric.reset();
      metric.inc(collect());
    };
  }
  return {
    inc(first?: Labels | number, n?: number) {
      if (typeof first === "object") metric.inc(first, n);
      else metric.inc(first ?? 1);
    },
    remove: (labels) => metric.remove(labels),
  };
}

/** Declares a gauge. If a name is declared again with `collect`, the newer callback is used. */
export function gauge(options: GaugeOptions): Gauge {
  const metric = once("gauge", options, (config) => new PromGauge(config));
  const handle = gaugeHandle(metric);
  const { collect } = options;
  if (collect !== undefined) {
    (metric as prom.Gauge & { collect?: () => Promise<void> }).collect = async () => {
      metric.reset();
      const value = await collect(handle);
      if (typeof value === "number") metric.set(value);
    };
  }
  return handle;
}

/** Declares a histogram. */
export function histogram(options: HistogramOptions): Histogram {
  const buckets = [...options.buckets];
  const metric = once("histogram", options, (config) => new PromHistogram({ ...config, buckets }));
  return {
    observe(first: Labels | number, value?: number) {
      if (typeof first === "number") metric.observe(first);
      else metric.observe(first, value ?? 0);
    },
  };
}

function gaugeHandle(metric: prom.Gauge): Gauge {
  return {
    set(first: Labels | number, value?: number) {
      if (typeof first === "number") metric.set(first);
      else metric.set(first, value ?? 0);
    },
    inc: (labels = {}, n = 1) => metric.inc(labels, n),
    dec: (labels = {}, n = 1) => metric.dec(labels, n),
    remove: (labels) => metric.remove(labels),
  };
}

interface MetricConfig {
  name: string;
  help: string;
  labelNames: string[];
  registers: prom.Registry[];
}

const shapes = new Map<string, { shape: string; metric: unknown }>();

function once<M>(kind: string, options: MetricOptions, make: (config: MetricConfig) => M): M {
  const { name, help, labels = [] } = options;
  const shape = JSON.stringify([kind, help, labels]);
  const before = shapes.get(name);
  if (before !== undefined) {
    if (before.shape === shape) return before.metric as M;
    throw new MeshError("metric-declared-twice", `the metric ${name} is declared in two ways`);
  }
  const metric = make({ name, help, labelNames: [...labels], registers: [registry] });
  shapes.set(name, { shape, metric });
  return metric;
}
