/**
 * The key of a workload's telemetry.
 *
 * @module
 */
import { converted, type KeyCodec, list, text } from "../../graph/mod.ts";

/** The Telemetry resources that apply to a workload, and whether it can reach its tracer. */
export interface TelemetryKey {
  /** Row keys of the resources, as `Mesh.telemetry`. */
  readonly resources: readonly string[];
  /**
   * The workload may lack the cluster of a tracer that Envoy rejects without it. Then nothing is
   * traced.
   */
  readonly tracerMissing: boolean;
}

const names: KeyCodec<readonly string[]> = list(text);

/** Marks keys with a missing tracer. No resource's name contains it. */
const TRACER_MISSING = "!";

/** The codec of telemetry keys. */
export const telemetryKeys: KeyCodec<TelemetryKey> = converted(text, {
  encode: ({ resources, tracerMissing }: TelemetryKey) =>
    names.encode(resources) + (tracerMissing ? TRACER_MISSING : ""),
  decode: (key) => {
    const tracerMissing = key.endsWith(TRACER_MISSING);
    const resources = tracerMissing ? key.slice(0, -TRACER_MISSING.length) : key;
    return { resources: names.decode(resources), tracerMissing };
  },
});
