/**
 * Metrics of fetching Wasm modules.
 *
 * @module
 */
import {
  type Counter,
  counter,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
} from "../../kit/metrics/mod.ts";

/** Modules on disk. */
export const cacheEntries: Gauge = gauge({
  name: "wasm_cache_entries",
  help: "Wasm modules in the cache",
});
/** Lookups; `hit` is `true` or `false`. */
export const cacheLookups: Counter = counter({
  name: "wasm_cache_lookup_count",
  help: "Lookups of Wasm modules in the cache",
  labels: ["hit"],
});
/** Fetches; `result` is `success`, `download_failure` or `checksum_mismatch`. */
export const fetches: Counter = counter({
  name: "wasm_remote_fetch_count",
  help: "Fetches of Wasm modules, by result",
  labels: ["result"],
});
/**
 * Conversions; `result` is `success`, `no_remote_load`, `marshal_failure`, `remote_fetch_failure` or
 * `missing_remote_fetch_hint`.
 */
export const conversions: Counter = counter({
  name: "wasm_config_conversion_count",
  help: "Conversions of the configuration of Wasm plugins, by result",
  labels: ["result"],
});
/** Time of a conversion. */
export const conversionDuration: Histogram = histogram({
  name: "wasm_config_conversion_duration",
  help: "Milliseconds of converting the configuration of Wasm plugins",
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384],
});
