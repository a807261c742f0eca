/**
 * Where requests and connections go: by rules of VirtualServices, else to the service itself.
 *
 * @module
 */
export { domainsOf, hostRoutes, type RouteClient, virtualHost } from "./host_routes.ts";
export { chainsOf, tcpDestinations, tlsDestinations } from "./tcp_routes.ts";
