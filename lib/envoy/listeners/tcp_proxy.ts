/**
 * The TCP proxy.
 *
 * @module
 */
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { create, durationOf, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { adsSource, ON_DEMAND_MS, type Signals } from "../core/mod.ts";

/** A share of connections. */
export interface WeightedCluster {
  readonly cluster: string;
  /** Relative; 0 takes none. */
  readonly weight: number;
}

/** A way through a proxy that requests ask for. */
export interface Tunnel {
  /** `host:port` where it ends. */
  readonly to: string;
  readonly method: "CONNECT" | "POST";
}

/** Name of the network filter. */
const TCP_PROXY = "envoy.filters.network.tcp_proxy";

/** What a TCP proxy is made from. */
export interface TcpProxyInput {
  /** Name in statistics. */
  readonly statPrefix: string;
  /** At least one with weight. */
  readonly clusters: readonly WeightedCluster[];
  /** Connections without traffic are closed after so long, ms; Envoy's default is an hour. */
  readonly idleTimeoutMs?: number;
  /** Connections are closed after so long, ms. */
  readonly maxConnectionDurationMs?: number;
  /** Whether clients stay with an endpoint by their address. */
  readonly hashSourceIp?: boolean;
  /** What is logged and counted; default: nothing. */
  readonly signals?: Pick<Signals, "tcp" | "opened">;
  /** A cluster that is not there is asked for. */
  readonly onDemand?: boolean;
  /** Connections go through the cluster to somewhere else. */
  readonly tunnel?: Tunnel;
}

/** Builds the filter that forwards connections. */
export function tcpProxyFilter(input: TcpProxyInput): Filter {
  const { idleTimeoutMs, maxConnectionDurationMs: duration } = input;
  const typedConfig = packAny(TcpProxySchema, {
    statPrefix: input.statPrefix,
    clusterSpecifier: clusterSpecifier(input.clusters),
    idleTimeout: idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs),
    maxDownstreamConnectionDuration: duration === undefined ? undefined : durationOf(duration),
    hashPolicy: input.hashSourceIp ? [{ policySpecifier: { case: "sourceIp", value: {} } }] : [],
    accessLog: [...input.signals?.tcp ?? []],
    accessLogOptions: input.signals?.opened ? { flushAccessLogOnConnected: true } : undefined,
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

/** Envoy refuses weights of 0, so such clusters are left out; if all are 0 the first takes everything. */
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
