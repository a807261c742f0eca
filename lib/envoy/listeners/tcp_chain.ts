/**
 * A filter chain that forwards connections.
 *
 * @module
 */
import type { Tunnel, WeightedCluster } from "./tcp_proxy.ts";

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

/** Protocols that are looked into: the document database's, and the key-value store's. */
export type KnownProtocol = "document" | "key-value";
