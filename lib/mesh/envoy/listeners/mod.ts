/**
 * Listeners (LDS): inbound, outbound and gateway listeners with their filter chains, protocol
 * detection, TCP proxy, HTTP/3. Upstream Envoy filters only. Not built here: TLS with issued
 * certificates, HBONE.
 *
 * @module
 */
export { listenerName } from "./assemble.ts";
export { type EncodedListener, listenersAt } from "./copies.ts";
export { gatewayHttpListener, gatewayTcpListener, gatewayTlsListener } from "./gateway.ts";
export type { GatewayTlsChain } from "./gateway_input.ts";
export { NO_SECURITY, type SecurityPolicies } from "./security.ts";
export { type InboundPort, ingressListener, virtualInbound } from "./inbound.ts";
export {
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  virtualOutbound,
} from "./outbound.ts";
export { gatewayQuicListener } from "./quic.ts";
export type { KnownProtocol, TcpChain } from "./tcp_chain.ts";
export type { WeightedCluster } from "./tcp_proxy.ts";
