/**
 * PROXY protocol to a service: a header before the bytes of the connection that has the client's
 * address.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { type TransportSocket, TransportSocketSchema } from "#envoy/config/core/v3/base_pb.ts";
import { ProxyProtocolConfig_Version as Version } from "#envoy/config/core/v3/proxy_protocol_pb.ts";
import { ProxyProtocolUpstreamTransportSchema } from "#envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.ts";
import {
  type TrafficPolicy_ProxyProtocol,
  TrafficPolicy_ProxyProtocol_VERSION as Wanted,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { rawSocket } from "../core/mod.ts";

/** Sends the header before the transport security of a cluster's connections. */
export function applyProxyProtocol(
  cluster: Cluster,
  wanted: TrafficPolicy_ProxyProtocol | undefined,
): void {
  if (wanted === undefined) return;
  const version = wanted.version === Wanted.V2 ? Version.V2 : Version.V1;
  const around = (inner: TransportSocket): TransportSocket =>
    create(TransportSocketSchema, {
      name: "envoy.transport_sockets.upstream_proxy_protocol",
      configType: {
        case: "typedConfig",
        value: packAny(ProxyProtocolUpstreamTransportSchema, {
          config: { version },
          transportSocket: inner,
        }),
      },
    });
  for (const match of cluster.transportSocketMatches) {
    match.transportSocket = around(match.transportSocket ?? rawSocket());
  }
  if (cluster.transportSocketMatches.length > 0) return;
  cluster.transportSocket = around(cluster.transportSocket ?? rawSocket());
}
