/**
 * Options of one cluster, each applied to a message that exists: connection pool, HTTP protocol,
 * load balancer, outlier detection, TLS and mutual TLS, DNS, PROXY protocol.
 *
 * @module
 */
export { applyConnectionPool, UNLIMITED } from "./connection_pool.ts";
export { applyDns, dnsAssignment } from "./dns.ts";
export { requestNames, resolveRequestedNames } from "./dynamic_lookup.ts";
export { applyHttpOptions, HTTP_OPTIONS, upstreamHttp } from "./http_options.ts";
export type {
  ClusterDecisions,
  InboundDefaults,
  MeshClusterDefaults,
  MutualInput,
  OutboundClusterInput,
} from "./input.ts";
export {
  applyConsistentHash,
  applyLoadBalancer,
  isOriginalDestination,
  isPassthrough,
  keepSessions,
} from "./load_balancer.ts";
export { applyMutualTls, applyTunnels } from "./mutual_tls.ts";
export { applyOutlierDetection } from "./outlier_detection.ts";
export { applyProxyProtocol } from "./proxy_protocol.ts";
export { applySettings } from "./proxy_settings.ts";
export { applyTls, namesOfRequests } from "./tls.ts";
