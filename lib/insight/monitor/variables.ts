/**
 * Environment variables of metrics.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: the metric of patches has values. */
export const PILOT_DATAPROXY_FILTER_STATS: EnvVar<boolean> = declareEnv({
  name: "PILOT_DATAPROXY_FILTER_STATS",
  type: "bool",
  default: false,
  doc: "Export metrics of the resources that DataproxyFilters apply to, and fail to apply to.",
  readers,
});

/** False: the configuration is not analyzed. */
export const MESH_ANALYSIS: EnvVar<boolean> = declareEnv({
  name: "MESH_ANALYSIS",
  type: "bool",
  default: true,
  doc: "Look for likely mistakes in the configuration in use; needs about 3 KB for each object.",
  readers,
});

/** Address of a Prometheus for the pages of the mesh; empty: none. */
export const MESH_PROMETHEUS_ADDRESS: EnvVar<string> = declareEnv({
  name: "MESH_PROMETHEUS_ADDRESS",
  type: "string",
  default: "",
  doc:
    "Address of a Prometheus with the metrics of the proxies, `http://HOST:PORT`; /debug/services shows its request rates and errors.",
  readers,
});

/** True: the metrics of unused resources in memory are exported. */
export const PILOT_XDS_CACHE_STATS: EnvVar<boolean> = declareEnv({
  name: "PILOT_XDS_CACHE_STATS",
  type: "bool",
  default: false,
  doc: "Export metrics of the cache and its hits.",
  readers,
});

/** True: `/metrics` answers only requests from this machine. */
export const METRICS_LOCALHOST_ACCESS_ONLY: EnvVar<boolean> = declareEnv({
  name: "METRICS_LOCALHOST_ACCESS_ONLY",
  type: "bool",
  default: false,
  doc: "Answer requests for metrics from this machine only.",
  readers,
});
