/**
 * Outbound route tables, whole and as virtual hosts of their own.
 *
 * @module
 */
export { deriveHttpProxy } from "./http_proxy.ts";
export { deriveRoutes } from "./routes.ts";
