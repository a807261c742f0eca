/**
 * The TCP proxy.
 *
 * @module
 */
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import {
  TcpProxySchema,
  UpstreamConnectMode,
} from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { create, durationOf, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import { adsSource, ON_DEMAND_MS, type SideTelemetry } from "../core/mod.ts";

/** A weighted share of connections. */
export interface WeightedCluster {
  readonly cluster: string;
  /** Relative weight; 0 gets no connections. */
  readonly weight: number;
}

/** A tunnel through a proxy by HTTP CONNECT. */
export interface Tunnel {
  /** `host:port` at the end of the tunnel. */
  readonly to: string;
  readonly method: "CONNECT" | "POST";
}

/** Name of the network filter. */
const TCP_PROXY = "envoy.filters.network.tcp_proxy";

export interface TcpProxyInput {
  /** Name in statistics. */
  readonly statPrefix: string;
  /** At least one has a weight above 0. */
  readonly clusters: readonly WeightedCluster[];
  /** Idle timeout, ms; Envoy's default is an hour. */
  readonly idleTimeoutMs?: number;
  /** Maximum duration of a connection, ms. */
  readonly maxConnectionDurationMs?: number;
  /** True: the endpoint is selected by a hash of the client's address. */
  readonly hashSourceIp?: boolean;
  /** Telemetry; default: none. */
  readonly telemetry?: Pick<SideTelemetry, "tcp" | "opened">;
  /** True: a missing cluster is requested on demand. */
  readonly onDemand?: boolean;
  /** True: the cluster is connected to when the client's TLS handshake is complete. */
  readonly afterHandshake?: boolean;
  /** Tunnel through the cluster to another destination. */
  readonly tunnel?: Tunnel;
}

/**
 * Nothing is sent to the cluster for a client that has not proved its identity, and the log entry at
 * the open of a connection has that identity. Envoy accepts no data before the end of a handshake,
 * so none is kept; it requires the bound nevertheless.
 */
const AFTER_HANDSHAKE = {
  upstreamConnectMode: UpstreamConnectMode.ON_DOWNSTREAM_TLS_HANDSHAKE,
  maxEarlyDataBytes: 0,
} as const;

/** Builds the filter that forwards connections. */
export function tcpProxyFilter(input: TcpProxyInput): Filter {
  const { idleTimeoutMs, maxConnectionDurationMs: duration } = input;
  const typedConfig = packAny(TcpProxySchema, {
    statPrefix: input.statPrefix,
    clusterSpecifier: clusterSpecifier(input.clusters),
    idleTimeout: idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs),
    maxDownstreamConnectionDuration: duration === undefined ? undefined : durationOf(duration),
    hashPolicy: input.hashSourceIp ? [{ policySpecifier: { case: "sourceIp", value: {} } }] : [],
    accessLog: [...input.telemetry?.tcp ?? []],
    accessLogOptions: input.telemetry?.opened ? { flushAccessLogOnConnected: true } : undefined,
    ...input.afterHandshake && AFTER_HANDSHAKE,
    tunnelingConfig: input.tunnel &&
      { hostname: input.tunnel.to, usePost: input.tunnel.method === "POST" },
    onDemand: input.onDemand
      ? { odcdsConfig: adsSource(), timeout: durationOf(ON_DEMAND_MS) }
      : undefined,
  });
  return create(FilterSchema, {
    name: TCP_PROXY,
    configType: { case: "typedConfig", value: typedConfig },
  });
}

/**
 * Envoy rejects weights of 0, so such clusters are omitted; if all are 0, the first one gets
 * everything.
 */
function clusterSpecifier(
  all: readonly WeightedCluster[],
): MessageInitShape<typeof TcpProxySchema>["clusterSpecifier"] {
  const clusters = all.filter(({ weight }) => weight > 0);
  if (clusters.length > 1) {
    return {
      case: "weightedClusters",
      value: { clusters: clusters.map(({ cluster, weight }) => ({ name: cluster, weight })) },
    };
  }
  return { case: "cluster", value: (clusters[0] ?? all[0])?.cluster ?? "" };
}
