/**
 * The input of builders of HTTP connection managers.
 *
 * @module
 */
import type { Lookup, SignalSet } from "../core/mod.ts";
import type { ProxySettings } from "./settings.ts";

/** How paths are made comparable before they are routed. */
export type PathNormalization = "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";

/** What the mesh configuration, the environment and the kind of proxy decide for all listeners. */
export interface ManagerDefaults {
  /** What is logged, counted and traced; default: nothing. */
  readonly signals?: SignalSet;
  /** What the configuration of proxies says; default: nothing. */
  readonly settings?: ProxySettings;
  /** Whether connections that no filter chain takes are logged too. */
  readonly listenerLog: boolean;
  readonly pathNormalization: PathNormalization;
  /** Accept HTTP/1.0 (`PILOT_HTTP10`, node metadata `HTTP10`). */
  readonly http10: boolean;
  /** Node metadata `IDLE_TIMEOUT`, ms: connections without requests are closed. */
  readonly idleTimeoutMs?: number;
  /** `PILOT_SIDECAR_USE_REMOTE_ADDRESS`: outbound listeners of sidecars take the connection's address for the client's. */
  readonly sidecarUseRemoteAddress: boolean;
  /** How long protocol detection waits for the client's first bytes, ms; 0: for ever. */
  readonly detectionTimeoutMs: number;
  /** Pass `100-continue` on instead of answering it. */
  readonly proxy100Continue: boolean;
  /** Ranges that are internal to gateways, and to others beside private ones. */
  readonly internalRanges?: readonly string[];
  /** Services' sessions may stay with one endpoint, as routes say. */
  readonly sessions?: boolean;
  /** Mutual TLS does not say that HTTP was found. */
  readonly quietAboutFound?: boolean;
  /** Whether requests may go to ports that declare nothing, under mutual TLS: see `TELLS_FOUND`. */
  readonly found?: boolean;
  /** Outbound requests and connections to clusters that are not there make the proxy ask for them (node metadata `ODCDS`). */
  readonly onDemand?: boolean;
  /** How names are looked up that clients ask for. */
  readonly lookup?: Lookup;
}
