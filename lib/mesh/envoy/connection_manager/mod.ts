/**
 * The HTTP connection manager, the order of its HTTP filters, and its settings from the proxy
 * configuration.
 *
 * @module
 */
export { DRAIN_OPTION, type ManagerDefaults, type PathNormalization } from "./input.ts";
export { httpConnectionManager, managerFilter, type ManagerInput } from "./manager.ts";
export { connectionSettings, type ProxySettings } from "./settings.ts";
