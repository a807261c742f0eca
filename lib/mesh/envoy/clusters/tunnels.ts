/**
 * Clusters of tunnels (HBONE): the internal listener for the content of ended tunnels, and the ends
 * of opened ones.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_LbPolicy as LbPolicy,
  type Cluster_OriginalDstLbConfigSchema,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import type { HttpProtocolOptionsSchema as CommonOptionsSchema } from "#envoy/config/core/v3/protocol_pb.ts";
import { HttpProtocolOptionsSchema } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { create, durationOf, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  HTTP_OPTIONS,
  type InboundDefaults,
} from "../cluster_options/mod.ts";
import {
  adsSource,
  CONNECT_ORIGINATE,
  INNER_ORIGINATE,
  internalAddress,
  internalSocket,
  MAIN_INTERNAL,
  OUTER_ORIGINATE,
  statName,
  TUNNEL_KEYS,
  TUNNEL_METADATA,
  TUNNEL_PORT,
} from "../core/mod.ts";

/** The internal listener to which the content of ended tunnels goes. */
export function mainInternalCluster(mesh: InboundDefaults): Cluster {
  return internalCluster(MAIN_INTERNAL, MAIN_INTERNAL, mesh);
}

/** Name of {@link encapCluster}. */
export const ENCAP = "encap";

/** Connections that go on through a tunnel to the workload that they were meant for. */
export function encapCluster(mesh: InboundDefaults): Cluster {
  const cluster = internalCluster(ENCAP, CONNECT_ORIGINATE, mesh);
  applyHttpOptions(cluster, "downstream", undefined, {});
  return cluster;
}

function internalCluster(name: string, listener: string, mesh: InboundDefaults): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC },
    loadAssignment: {
      clusterName: name,
      endpoints: [{
        lbEndpoints: [{
          hostIdentifier: { case: "endpoint", value: { address: internalAddress(listener) } },
        }],
      }],
    },
    transportSocket: internalSocket(),
  });
  applyConnectionPool(cluster, mesh);
  return cluster;
}

/**
 * The ends of inner tunnels in the network of a gateway: workloads, or the proxies of a waypoint. The bytes
 * go on as they are.
 */
export function innerTunnelsCluster(name: string, mesh: InboundDefaults): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: adsSource() },
  });
  applyConnectionPool(cluster, mesh);
  return cluster;
}

/** Input of {@link connectOriginateCluster}. */
export interface OriginateInput {
  readonly mesh: InboundDefaults;
  /** TLS of tunnels. */
  readonly tls: TransportSocket;
  /** Time after which a connection without tunnels is closed, ms; `undefined`: Envoy's. */
  readonly idleTimeoutMs?: number | undefined;
}

/**
 * The ends of opened tunnels: the tunnel port at the destination of each connection, or at the
 * waypoint that the endpoint names.
 */
export function connectOriginateCluster(input: OriginateInput): Cluster {
  return originalEnds(CONNECT_ORIGINATE, input, {
    upstreamPortOverride: TUNNEL_PORT,
    metadataKey: {
      key: TUNNEL_METADATA,
      path: [{ segment: { case: "key", value: TUNNEL_KEYS.waypoint } }],
    },
  });
}

/**
 * The clusters of tunnels to other networks: inner tunnels, which go to the listener of outer ones, and the
 * ends of those at gateways. Each inner tunnel has a connection of its own, so that the gateway chooses
 * a workload for each.
 */
export function acrossOriginateClusters(input: OriginateInput): Cluster[] {
  const inner = internalCluster(INNER_ORIGINATE, OUTER_ORIGINATE, input.mesh);
  inner.transportSocket = internalSocket(input.tls);
  inner.typedExtensionProtocolOptions = tunnelOptions({ maxRequestsPerConnection: 1 });
  return [inner, originalEnds(OUTER_ORIGINATE, input, {})];
}

type OriginalDestination = MessageInitShape<typeof Cluster_OriginalDstLbConfigSchema>;

/** The ends of opened tunnels, at the destination of each connection. */
function originalEnds(
  name: string,
  { mesh, tls, idleTimeoutMs }: OriginateInput,
  value: OriginalDestination,
): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.ORIGINAL_DST },
    lbPolicy: LbPolicy.CLUSTER_PROVIDED,
    lbConfig: { case: "originalDstLbConfig", value },
    typedExtensionProtocolOptions: tunnelOptions(
      idleTimeoutMs === undefined ? undefined : { idleTimeout: durationOf(idleTimeoutMs) },
    ),
    transportSocket: tls,
  });
  applyConnectionPool(cluster, mesh);
  return cluster;
}

/** Options of HTTP/2 with CONNECT. */
function tunnelOptions(
  commonHttpProtocolOptions: MessageInitShape<typeof CommonOptionsSchema> | undefined,
) {
  return {
    [HTTP_OPTIONS]: packAny(HttpProtocolOptionsSchema, {
      commonHttpProtocolOptions,
      upstreamProtocolOptions: {
        case: "explicitHttpConfig",
        value: {
          protocolConfig: { case: "http2ProtocolOptions", value: { allowConnect: true } },
        },
      },
    }),
  };
}
