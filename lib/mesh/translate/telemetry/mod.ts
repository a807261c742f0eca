/**
 * Telemetry of workloads: access logs, metrics and traces, as builders of listeners take it.
 *
 * @module
 */
export { deriveTelemetry, telemetryKey, telemetryKeyAt } from "./telemetry_table.ts";
export type { TelemetryFeatures } from "./features.ts";
