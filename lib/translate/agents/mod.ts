/**
 * Resources for agents: the name table and the proxy configuration.
 *
 * @module
 */
export { createAgentLayers } from "./layers.ts";
