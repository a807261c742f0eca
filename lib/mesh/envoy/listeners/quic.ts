/**
 * HTTP/3: a gateway's UDP listener beside its TLS listener.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import { FilterChainSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { quicTls } from "../authentication/mod.ts";
import { managerFilter } from "../connection_manager/mod.ts";
import { udpAddress } from "../core/mod.ts";
import { listenerName } from "./assemble.ts";
import { distinct } from "./distinct.ts";
import { type GatewayTlsInput, takesHttp3 } from "./gateway_input.ts";

/**
 * Builds the UDP listener for the servers of a port that support QUIC; `undefined` if none does.
 */
export function gatewayQuicListener(input: GatewayTlsInput): Listener | undefined {
  const { bind, port } = input;
  const name = `udp_${listenerName(bind, port)}`;
  const chains = distinct(input.chains).flatMap(([one, filterChainMatch]) => {
    if (!takesHttp3(one) || one.tls === undefined || !("routeName" in one.to)) return [];
    const http = managerFilter({
      class: "gateway",
      statPrefix: `outbound_${name}`,
      routes: { rds: one.to.routeName },
      security: input.security?.http,
      http3: true,
      alternative: input.alternative ?? port,
      defaults: input.manager,
    });
    const transportSocket = quicTls(one.tls, one.sockets);
    return [create(FilterChainSchema, { filterChainMatch, filters: [http], transportSocket })];
  });
  if (chains.length === 0) return undefined;
  return create(ListenerSchema, {
    name,
    address: udpAddress(bind, port),
    additionalAddresses: (input.extraBinds ?? []).map((extra) => ({
      address: udpAddress(extra, port),
    })),
    trafficDirection: TrafficDirection.OUTBOUND,
    udpListenerConfig: { quicOptions: {}, downstreamSocketConfig: {} },
    filterChains: chains.filter((c) => c.filterChainMatch !== undefined || chains.length === 1),
    defaultFilterChain: chains.length === 1
      ? undefined
      : chains.find((c) => c.filterChainMatch === undefined),
    accessLog: [
      ...input.manager.listenerLog ? input.manager.telemetry?.client.unmatched ?? [] : [],
    ],
  });
}
