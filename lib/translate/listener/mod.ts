/**
 * Listeners: pure functions from plain data to messages. Upstream filters only.
 *
 * Not built here: TLS with issued certificates, HBONE.
 *
 * @module
 */
export { listenerName } from "./assemble.ts";
export {
  type GatewayHttpInput,
  gatewayHttpListener,
  type GatewayTcpInput,
  gatewayTcpListener,
  type GatewayTlsChain,
  type GatewayTlsInput,
  gatewayTlsListener,
} from "./gateway.ts";
export { gatewayQuicListener } from "./quic.ts";
export { type Guard, NO_GUARD } from "./guard.ts";
export {
  type InboundPort,
  ingressListener,
  type IngressListenerInput,
  virtualInbound,
  type VirtualInboundInput,
} from "./inbound.ts";
export type {
  AccessLogSettings,
  Binding,
  ManagerDefaults,
  PathNormalization,
  TcpChain,
  WeightedCluster,
} from "./input.ts";
export {
  FILE_LOGGER,
  fileLog,
  type Format,
  formatOf,
  TEXT_FORMAT,
  unmatchedOnly,
} from "./access_log.ts";
export type { KnownProtocol } from "./protocols.ts";
export { connectionSettings, type ProxySettings } from "./settings.ts";
export { NO_SIGNALS, type Side, type Signals, type SignalSet } from "./signals.ts";
export { httpConnectionManager, type ManagerClass, type ManagerInput } from "./manager.ts";
export {
  type OutboundHttpInput,
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  virtualOutbound,
  type VirtualOutboundInput,
} from "./outbound.ts";
export { tcpProxyFilter, type TcpProxyInput } from "./tcp_proxy.ts";
