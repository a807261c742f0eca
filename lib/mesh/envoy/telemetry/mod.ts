/**
 * Telemetry of listeners: access logs to files and providers, request metrics with labels of the
 * mesh, tracing, exchange of workload identities between proxies.
 *
 * @module
 */
export { type AccessLogSettings, fileLog, unmatchedOnly } from "./access_log.ts";
export { TELEMETRY_KINDS, type TelemetryKind, unfit } from "./providers.ts";
export { METRICS, tracingRule } from "./merge_levels.ts";
export { buildTelemetry, type TelemetryResult } from "./telemetry.ts";
export { needsCluster } from "./tracers.ts";
