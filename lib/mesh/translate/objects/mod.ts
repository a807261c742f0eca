/**
 * Configuration objects as resources, for configuration clients.
 *
 * @module
 */
export { bindClient } from "./client.ts";
export { type ObjectLayers, objectLayers } from "./layers.ts";
