/**
 * Access logs, metrics and tracing of listeners.
 *
 * @module
 */
export { type AccessLogSettings, fileLog, unmatchedOnly } from "./access_log.ts";
export { type Signal, SIGNALS, unfit } from "./providers.ts";
export { tracingRule } from "./settings.ts";
export { signalsOf, type TelemetryResult } from "./telemetry.ts";
export { needsCluster } from "./tracing.ts";
