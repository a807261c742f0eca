/**
 * The HTTP connection manager and its HTTP filters.
 *
 * @module
 */
export type { ManagerDefaults, PathNormalization } from "./input.ts";
export { httpConnectionManager, managerFilter } from "./manager.ts";
export { connectionSettings, type ProxySettings } from "./settings.ts";
