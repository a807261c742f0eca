/**
 * Telemetry settings as listeners use them.
 *
 * @module
 */
import type { AccessLog } from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import type {
  HttpConnectionManager_Tracing as Tracing,
  HttpFilter,
  RequestIDExtension,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";

/** Telemetry of requests and connections. */
export interface SideTelemetry {
  /** Access logs of requests. */
  readonly http: readonly AccessLog[];
  /** Access logs of TCP connections. */
  readonly tcp: readonly AccessLog[];
  /** Access logs of connections that no filter chain matches. */
  readonly unmatched: readonly AccessLog[];
  /** True: connections are also logged when they are opened. */
  readonly opened: boolean;
  /** Filters before all others. */
  readonly first: readonly HttpFilter[];
  /** Filters before the router, after all others. */
  readonly last: readonly HttpFilter[];
  readonly tracing?: Tracing;
  readonly requestId?: RequestIDExtension;
}

/** Telemetry by side of a proxy. */
export interface TelemetrySet {
  /** Telemetry of the workload's outbound traffic, and of a gateway's traffic. */
  readonly client: SideTelemetry;
  /** Telemetry of plain-text inbound traffic. */
  readonly server: SideTelemetry;
  /** Telemetry of inbound traffic with mutual TLS. */
  readonly mutual: SideTelemetry;
  /** Telemetry of inbound traffic through tunnels; absent: the mesh has none. */
  readonly tunnel?: SideTelemetry | undefined;
  /** Telemetry of waypoints; absent: the mesh has none. */
  readonly waypoint?: SideTelemetry | undefined;
}

/** A side of a proxy. */
export type Side = keyof TelemetrySet;

export const NO_TELEMETRY: SideTelemetry = {
  http: [],
  tcp: [],
  unmatched: [],
  opened: false,
  first: [],
  last: [],
};
