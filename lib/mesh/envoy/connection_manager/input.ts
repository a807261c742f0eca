/**
 * The input of builders of HTTP connection managers.
 *
 * @module
 */
import type { Lookup, TelemetrySet } from "../core/mod.ts";
import type { ProxySettings } from "./settings.ts";

/** Normalization of paths before routing. */
export type PathNormalization = "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";

/** Node metadata by which an agent says that it drains its proxy while the workload ends. */
export const DRAIN_OPTION = "AGENT_DRAIN";

/** Defaults for all listeners from the mesh configuration, the environment and the proxy type. */
export interface ManagerDefaults {
  /** Telemetry; default: none. */
  readonly telemetry?: TelemetrySet;
  /** Settings of the proxy configuration; default: none. */
  readonly settings?: ProxySettings;
  /** True: connections that no filter chain matches are logged too. */
  readonly listenerLog: boolean;
  readonly pathNormalization: PathNormalization;
  /** Accepts HTTP/1.0 (`PILOT_HTTP10`, node metadata `HTTP10`). */
  readonly http10: boolean;
  /** Node metadata `IDLE_TIMEOUT`, ms: closes connections without requests. */
  readonly idleTimeoutMs?: number;
  /**
   * `PILOT_SIDECAR_USE_REMOTE_ADDRESS`: outbound listeners of sidecars use the connection's address
   * as the client's.
   */
  readonly sidecarUseRemoteAddress: boolean;
  /** Time for which protocol detection waits for the client's first bytes, ms; 0: no limit. */
  readonly detectionTimeoutMs: number;
  /** Forwards `100-continue` instead of responding to it. */
  readonly proxy100Continue: boolean;
  /** Ranges that are internal for gateways, and for others in addition to private ranges. */
  readonly internalRanges?: readonly string[];
  /** True: services may have sticky sessions, as routes configure. */
  readonly sessions?: boolean;
  /** True: routes of the Gateway API may have filters of their own. */
  readonly apiFilters?: boolean;
  /** True: mutual TLS does not announce detected HTTP. */
  readonly hideDetectedHttp?: boolean;
  /** True: requests may go to undeclared ports under mutual TLS: see `ANNOUNCE_DETECTED_HTTP`. */
  readonly found?: boolean;
  /**
   * True: outbound requests and connections to missing clusters make the proxy request them (node
   * metadata `ODCDS`).
   */
  readonly onDemand?: boolean;
  /**
   * True: outbound route tables of ports and Unix sockets are without virtual hosts, and the proxy asks
   * for those it needs.
   */
  readonly hostsOnDemand?: boolean;
  /**
   * True: the agent lets the proxy outlive its workload (node metadata `AGENT_DRAIN`), which may have
   * closed its port: see `UNDELIVERED`.
   */
  readonly outlives?: boolean;
  /** DNS settings for names that clients request. */
  readonly lookup?: Lookup;
}
