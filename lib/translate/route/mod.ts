/**
 * Routes: from VirtualServices to the proxy's virtual hosts. Pure functions of a
 * rule and the place where it is served.
 *
 * @module
 */
export {
  MAX_DIRECT_RESPONSE_BODY,
  renamedVirtualHost,
  routeConfiguration,
  type RouteConfigurationOptions,
} from "./configuration.ts";
export { type DomainOptions, domainsFor, hostPort, shortNames } from "./domains.ts";
export { FAULT_FILTER } from "./fault.ts";
export { hashPolicyFor } from "./hash.ts";
export { defaultRoute, inboundRoute, translateHttpRoutes } from "./routes.ts";
export { inboundRetries } from "./retry.ts";
export type {
  HashPolicy,
  MeshRouteDefaults,
  ResolvedDestination,
  RouteScope,
  RouteSource,
} from "./scope.ts";
export { SESSION_FILTER, sessionRule } from "./session.ts";
export {
  hashesSourceIp,
  type TcpCluster,
  type TcpRoute,
  translateTcpRoutes,
  translateTlsRoutes,
} from "./tcp.ts";
export {
  blackHoleVirtualHost,
  type CatchAll,
  catchAllVirtualHost,
  connectRoute,
  virtualHostFor,
  type VirtualHostOptions,
} from "./vhost.ts";
