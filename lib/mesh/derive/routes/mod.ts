/**
 * VirtualServices: which one routes a host as a namespace sees it, with the rules of its delegates
 * merged in.
 *
 * @module
 */
export { gatewayRoutesOfHost, hostsOfGateway } from "./gateway_hosts.ts";
export { deriveRoutes, type Routes } from "./routes.ts";
