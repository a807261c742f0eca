/**
 * Counters, gauges and histograms in one registry, their exposition as text, and the metrics of
 * the process.
 *
 * @module
 */
export {
  type Counter,
  counter,
  type CounterOptions,
  type Gauge,
  gauge,
  type GaugeOptions,
  type Histogram,
  histogram,
  type HistogramOptions,
  type Labels,
} from "./instruments.ts";
export { expose, type Exposition } from "./expose.ts";
export { type Scrape, sharedScrapes, type SharedScrapesOptions } from "./scrape.ts";
export { declareQueueMetrics, type QueueItem, queueItem } from "./queue.ts";
export { startProcessMetrics } from "./process.ts";
