/**
 * Environment variables of telemetry.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_ENABLE_TELEMETRY_LABEL = declareEnv({
  name: "PILOT_ENABLE_TELEMETRY_LABEL",
  type: "bool",
  default: true,
  doc: "Add telemetry metadata to clusters and endpoints.",
  readers,
});

const PILOT_ENABLE_METADATA_EXCHANGE = declareEnv({
  name: "PILOT_ENABLE_METADATA_EXCHANGE",
  type: "bool",
  default: true,
  doc: "Add the filters that exchange metadata between proxies.",
  readers,
});

const PILOT_TRACE_SAMPLING = declareEnv({
  name: "PILOT_TRACE_SAMPLING",
  type: "float",
  default: 1,
  doc: "Percent of requests that are traced, 0 to 100 in steps of 0.01.",
  readers,
});

const PILOT_ENDPOINT_TELEMETRY_LABEL = declareEnv({
  name: "PILOT_ENDPOINT_TELEMETRY_LABEL",
  type: "bool",
  default: true,
  doc: "Add telemetry metadata to endpoints, if PILOT_ENABLE_TELEMETRY_LABEL is true.",
  readers,
});

const METRIC_ROTATION_INTERVAL = declareEnv({
  name: "METRIC_ROTATION_INTERVAL",
  type: "duration",
  default: 0,
  range: { least: 0 },
  doc:
    "Time after which proxies drop metrics without a count; 0: never. The daemon marks the metrics, the agent configures the time.",
  readers,
});

const LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES = declareEnv({
  name: "LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES",
  type: "bool",
  default: false,
  doc: "Name the canonical service of endpoints outside the mesh in the metadata of their cluster.",
  readers,
});

/** Switches that are read here. */
type TelemetryFeatures = Pick<
  Features,
  | "forgetMetrics"
  | "telemetryLabel"
  | "traceSampling"
  | "exchangeMetadata"
  | "endpointTelemetryLabel"
  | "canonicalOutside"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readTelemetry(): TelemetryFeatures {
  return {
    forgetMetrics: METRIC_ROTATION_INTERVAL.get() > 0,
    telemetryLabel: PILOT_ENABLE_TELEMETRY_LABEL.get(),
    traceSampling: PILOT_TRACE_SAMPLING.get(),
    exchangeMetadata: PILOT_ENABLE_METADATA_EXCHANGE.get(),
    endpointTelemetryLabel: PILOT_ENDPOINT_TELEMETRY_LABEL.get(),
    canonicalOutside: LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES.get(),
  };
}
