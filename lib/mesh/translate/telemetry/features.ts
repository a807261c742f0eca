/**
 * Switches of telemetry, and the context that has them.
 *
 * @module
 */
import type { BaseContext as SharedBaseContext } from "../context/mod.ts";

/** Features of telemetry that the environment enables. */
export interface TelemetryFeatures {
  /** Proxies remove metrics that were not updated for some time. */
  readonly forgetMetrics: boolean;
  /** Default sampling rate of traces, percent. */
  readonly traceSampling: number;
  /** Proxies exchange the identity of their workloads. */
  readonly exchangeMetadata: boolean;
}

/** The base context with these features. */
export type BaseContext = SharedBaseContext<TelemetryFeatures>;
