/**
 * Resources of node proxies: addresses of workloads and services, and policies.
 *
 * @module
 */
export { type AmbientLayers, ambientLayers } from "./layers.ts";
export { bindNodeProxy } from "./client.ts";
