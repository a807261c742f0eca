/**
 * Destinations of HTTP requests and of TCP and TLS connections: by the rules of a VirtualService,
 * otherwise the service itself.
 *
 * @module
 */
export { domainsOf, hostRoutes, type RouteClient, virtualHost } from "./host_routes.ts";
export { clusterOfPolicy, outboundPolicy, passthroughFor } from "./outbound_policy.ts";
export { chainsOf, tcpDestinations, tlsDestinations } from "./tcp_routes.ts";
