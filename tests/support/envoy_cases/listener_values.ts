/**
 * Shared values of listener cases.
 *
 * @module
 */
import {
  type AccessLogSettings,
  fileLog,
  type ManagerDefaults,
  NO_TELEMETRY,
  type TelemetrySet,
  unmatchedOnly,
  type WeightedCluster,
} from "../../../lib/mesh/envoy/mod.ts";

/** The mesh configuration as it is built in. */
export const MANAGER_DEFAULTS: ManagerDefaults = {
  listenerLog: true,
  pathNormalization: "base",
  http10: false,
  sidecarUseRemoteAddress: false,
  detectionTimeoutMs: 0,
  proxy100Continue: true,
};

/** Everything in text. */
export const TEXT_LOG: AccessLogSettings = { file: "/dev/stdout", encoding: "text", format: "" };

/** Everything in JSON. */
export const JSON_LOG: AccessLogSettings = { file: "/dev/stdout", encoding: "json", format: "" };

/** Everything is logged to a file. */
export function logged(settings: AccessLogSettings): TelemetrySet {
  const log = fileLog(settings);
  const side = { ...NO_TELEMETRY, http: [log], tcp: [log], unmatched: [unmatchedOnly(log)] };
  return { client: side, server: side, mutual: side };
}

/** With everything set that can be. */
export const FULL: ManagerDefaults = {
  telemetry: logged(TEXT_LOG),
  listenerLog: true,
  pathNormalization: "decode-and-merge-slashes",
  http10: true,
  idleTimeoutMs: 90_000,
  sidecarUseRemoteAddress: true,
  detectionTimeoutMs: 500,
  proxy100Continue: false,
};

/** All connections to a cluster. */
export const one = (cluster: string): readonly WeightedCluster[] => [{ cluster, weight: 1 }];
