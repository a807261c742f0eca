/**
 * Listeners (LDS): inbound, outbound and gateway listeners with their filter chains, protocol
 * detection, TCP proxy, HTTP/3, tunnels (HBONE). Upstream Envoy filters only.
 *
 * @module
 */
export { listenerName } from "./assemble.ts";
export { type EncodedListener, listenersAt } from "./copies.ts";
export { gatewayHttpListener, gatewayTcpListener, gatewayTlsListener } from "./gateway.ts";
export type { GatewayTlsChain } from "./gateway_input.ts";
export { NO_SECURITY, type SecurityPolicies } from "./security.ts";
export { type InboundPort, ingressListener, mainInternal, virtualInbound } from "./inbound.ts";
export {
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  virtualOutbound,
} from "./outbound.ts";
export { gatewayQuicListener } from "./quic.ts";
export { gatewayUdpListener } from "./udp.ts";
export type { KnownProtocol, TcpChain } from "./tcp_chain.ts";
export type { WeightedCluster } from "./tcp_proxy.ts";
export {
  AUTHORITY_FILTER,
  INTO_PROXY,
  type TunnelRoute,
  tunnelRouteTable,
} from "./tunnel_routes.ts";
export { proxyTerminate } from "./ended_tunnels.ts";
export { acrossOriginate, connectOriginate, connectTerminate } from "./tunnels.ts";
export {
  type WaypointChain,
  waypointHttpChain,
  waypointInternal,
  waypointTcpChain,
} from "./waypoint.ts";
