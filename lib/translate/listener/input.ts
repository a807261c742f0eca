/**
 * What the builders of listeners are given.
 *
 * @module
 */
import type { KnownProtocol } from "./protocols.ts";
import type { Lookup } from "../wire/mod.ts";
import type { ProxySettings } from "./settings.ts";
import type { Side, Signals, SignalSet } from "./signals.ts";

/** How paths are made comparable before they are routed. */
export type PathNormalization = "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";

/** Where requests and connections are logged, and how. */
export interface AccessLogSettings {
  /** For example `/dev/stdout`. */
  readonly file: string;
  readonly encoding: "text" | "json";
  /** Empty: the built-in format of the encoding. */
  readonly format: string;
}

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

/** What the defaults say to connections that are forwarded as they are. */
export interface Forwarding {
  readonly signals?: Signals;
  readonly idleTimeoutMs?: number;
  readonly onDemand?: boolean;
  readonly lookup?: Lookup;
}

/** What the defaults say to connections of a side. */
export function forwarding(manager: ManagerDefaults, side: Side): Forwarding {
  const { signals, idleTimeoutMs, onDemand, lookup } = manager;
  return { signals: signals?.[side], idleTimeoutMs, onDemand, lookup };
}

/** Where a listener is. */
export interface Binding {
  /** IP address, or `unix:///path`. */
  readonly bind: string;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** Further addresses of the same listener: the other family of a dual-stack proxy. */
  readonly extraBinds?: readonly string[];
  /** Give each of the proxy's threads as many connections as the others, at the price of a lock. */
  readonly exactBalance?: boolean;
}

/** A share of connections. */
export interface WeightedCluster {
  readonly cluster: string;
  /** Relative; 0 takes none. */
  readonly weight: number;
}

/** Connections of a TCP listener that go the same way. */
export interface TcpChain {
  /** Addresses or ranges that connections were meant for; `undefined` or empty: any. */
  readonly destinationCidrs?: readonly string[];
  /** TLS server names (a leading `*.` stands for any prefix); `undefined` or empty: any, or no TLS. */
  readonly sniHosts?: readonly string[];
  /** Connections in which HTTP is found are routed by this table instead; `undefined`: nothing is looked for. */
  readonly httpRoutes?: string;
  /** At least one with weight. */
  readonly clusters: readonly WeightedCluster[];
  /** Name in statistics. */
  readonly statPrefix: string;
  /** What is said over the connections, where it is looked into. */
  readonly protocol?: KnownProtocol;
  /** Whether clients stay with an endpoint by their address (consistent hash). */
  readonly hashSourceIp?: boolean;
  /** Of the rule's TCP pool, ms; over `ManagerDefaults.idleTimeoutMs`. */
  readonly idleTimeoutMs?: number;
  /** Of the rule's TCP pool, ms. */
  readonly maxConnectionDurationMs?: number;
  /** Connections go through the cluster to somewhere else. */
  readonly tunnel?: Tunnel;
  /** The TLS server name is looked up, and connections go to this port there. */
  readonly lookUpPort?: number;
}

/** A way through a proxy that requests ask for. */
export interface Tunnel {
  /** `host:port` where it ends. */
  readonly to: string;
  readonly method: "CONNECT" | "POST";
}
