/**
 * VirtualServices: which one routes a host as a namespace sees it, with the rules of its delegates
 * merged in.
 *
 * @module
 */
export { deriveRoutes, type Routes } from "./routes.ts";
