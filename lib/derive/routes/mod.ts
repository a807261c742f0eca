/**
 * VirtualServices: which one routes a host, with its delegates.
 *
 * @module
 */
export { deriveRoutes, type Routes } from "./routes.ts";
