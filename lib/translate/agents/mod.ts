/**
 * Resources of the agents beside proxies: the name table and the proxy configuration.
 *
 * @module
 */
export { createAgentLayers } from "./layers.ts";
