/**
 * Outbound route tables (RDS), virtual hosts as separate resources (VHDS), routes for source
 * labels, and the HTTP proxy port.
 *
 * @module
 */
export { deriveHttpProxy } from "./http_proxy.ts";
export { HTTP_PROXY_TABLE, httpProxyPort } from "./http_proxy_port.ts";
export type { AskedKey, HttpProxyTables, Routes } from "./keys.ts";
export {
  askedLayer,
  bareTables,
  detectedLayers,
  httpProxyLayer,
  skeletonLayers,
  tableLayers,
  virtualHostLayers,
} from "./layers.ts";
export { inTable, partOf } from "./on_demand_hosts.ts";
export { deriveRoutes } from "./routes.ts";
