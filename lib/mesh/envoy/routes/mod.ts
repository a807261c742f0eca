/**
 * Routes of VirtualServices: destinations with weights, timeouts, retries, rewrites and redirects,
 * faults, CORS, headers, mirrors, consistent hash; TCP and TLS rules.
 *
 * @module
 */
export { timeouts } from "./action.ts";
export { FAULT_FILTER } from "./fault.ts";
export { hashPolicyFor } from "./hash.ts";
export { joinRoutes } from "./joined.ts";
export { inboundRetries } from "./retry.ts";
export { defaultRoute, inboundRoute, translateHttpRoutes } from "./routes.ts";
export { metadataOfRule } from "./rule_metadata.ts";
export type { MeshRouteDefaults, ResolvedDestination, RouteSource } from "./scope.ts";
export { hashesSourceIp, translateTcpRoutes, translateTlsRoutes } from "./tcp.ts";
