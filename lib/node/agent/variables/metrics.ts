/**
 * Variables of health and metrics.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;
const PORTS = { least: 1, most: 65_535 };

/** The variables; each is documented at its declaration. */
export const METRICS_VARIABLES: {
  readonly statusPort: EnvVar<number>;
  readonly prometheusPort: EnvVar<number>;
  readonly metricsLocalOnly: EnvVar<boolean>;
  readonly metricsAnnotations: EnvVar<string | undefined>;
  readonly deferredStats: EnvVar<boolean>;
  readonly delimitedTags: EnvVar<boolean>;
  readonly metricRotation: EnvVar<number>;
} = {
  statusPort: declareEnv({
    name: "DATAPROXY_STATUS_PORT",
    type: "int",
    default: 15021,
    range: PORTS,
    doc: "Port of the proxy's health endpoint.",
    readers,
  }),
  prometheusPort: declareEnv({
    name: "DATAPROXY_PROMETHEUS_PORT",
    type: "int",
    default: 15090,
    range: PORTS,
    doc: "Port of the proxy's metrics endpoint.",
    readers,
  }),
  metricsLocalOnly: declareEnv({
    name: "METRICS_LOCALHOST_ACCESS_ONLY",
    type: "bool",
    default: false,
    doc: "Answer requests for metrics from this machine only.",
    readers,
  }),
  metricsAnnotations: declareEnv({
    name: "MESH_METRICS_ANNOTATIONS",
    type: "string",
    doc: "JSON with the address of the application's metrics: scrape, path, port.",
    readers,
  }),
  deferredStats: declareEnv({
    name: "ENABLE_DEFERRED_STATS_CREATION",
    type: "bool",
    default: true,
    doc: "The proxy creates a part of its metrics when they are first used.",
    readers,
  }),
  delimitedTags: declareEnv({
    name: "ENABLE_DELIMITED_STATS_TAG_REGEX",
    type: "bool",
    default: true,
    doc: "Extract tags from the names of the proxy's metrics at the delimiter `;`.",
    readers,
  }),
  metricRotation: declareEnv({
    name: "METRIC_ROTATION_INTERVAL",
    type: "duration",
    default: 0,
    range: { least: 0 },
    doc:
      "Time after which proxies drop metrics without a count; 0: never. The daemon marks the metrics, the agent configures the time.",
    readers,
  }),
};
