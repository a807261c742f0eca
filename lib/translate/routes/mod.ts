/**
 * Outbound route tables, whole and as virtual hosts of their own.
 *
 * @module
 */
export { deriveHttpProxy, type HttpProxyTables } from "./http_proxy.ts";
export { deriveRoutes, type Routes } from "./routes.ts";
export { tellParts } from "./tables.ts";
