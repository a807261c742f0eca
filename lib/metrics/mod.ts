/**
 * Counters, gauges and histograms in one registry, and their exposition.
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
export { startProcessMetrics } from "./process.ts";
