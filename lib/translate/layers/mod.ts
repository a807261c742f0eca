/**
 * The layers that proxies see of each resource type.
 *
 * @module
 */
export { keeping } from "./keeping.ts";
export { createLayers, type Layers } from "./layers.ts";
