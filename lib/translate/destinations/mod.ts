/**
 * Destinations of requests and connections: by rules of VirtualServices, otherwise the service
 * itself.
 *
 * @module
 */
export { domainsOf, hostRoutes, type RouteClient, virtualHost } from "./host_routes.ts";
export { chainsOf, tcpDestinations, tlsDestinations } from "./tcp_routes.ts";
