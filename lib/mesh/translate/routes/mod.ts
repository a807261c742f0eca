/**
 * Outbound route tables (RDS), virtual hosts as resources of their own (VHDS), routes for source
 * labels, and the HTTP proxy port.
 *
 * @module
 */
export { deriveHttpProxy } from "./http_proxy.ts";
export { deriveRoutes } from "./routes.ts";
