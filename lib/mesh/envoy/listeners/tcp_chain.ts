/**
 * Filter chains that forward connections.
 *
 * @module
 */
import type { Tunnel, WeightedCluster } from "./tcp_proxy.ts";

/** Connections of a TCP listener with the same destination. */
export interface TcpChain {
  /** Destination addresses or ranges; `undefined` or empty: any. */
  readonly destinationCidrs?: readonly string[];
  /** TLS server names (a leading `*.` stands for any prefix); `undefined` or empty: any, or no TLS. */
  readonly sniHosts?: readonly string[];
  /** Route table for connections with detected HTTP; `undefined`: no detection. */
  readonly httpRoutes?: string;
  /** At least one has a weight above 0. */
  readonly clusters: readonly WeightedCluster[];
  /** Name in statistics. */
  readonly statPrefix: string;
  /** Protocol of the connections, if it is parsed. */
  readonly protocol?: KnownProtocol;
  /** True: the endpoint is selected by a hash of the client's address. */
  readonly hashSourceIp?: boolean;
  /** Idle timeout of the rule's TCP pool, ms; it overrides `ManagerDefaults.idleTimeoutMs`. */
  readonly idleTimeoutMs?: number;
  /** Maximum connection duration of the rule's TCP pool, ms. */
  readonly maxConnectionDurationMs?: number;
  /** Tunnel through the cluster to another destination. */
  readonly tunnel?: Tunnel;
  /** The SNI is resolved, and connections go to this port of the address. */
  readonly lookUpPort?: number;
}

/** Parsed protocols: the document database's, and the key-value store's. */
export type KnownProtocol = "document" | "key-value";
