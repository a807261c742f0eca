/**
 * Where requests and connections go: by rules of VirtualServices, else to the service itself.
 *
 * @module
 */
export { destinationResolver } from "./destination.ts";
export { domainsOf, hostRoutes, type RouteClient, virtualHost } from "./host_routes.ts";
export { routeDefaults } from "./route_defaults.ts";
export { chainsOf, tcpDestinations, tlsDestinations } from "./tcp_routes.ts";
