/**
 * Connected proxies: their class, their placement, and the views they are bound to.
 *
 * @module
 */
export { takeSeat } from "./binding.ts";
export { deriveClasses, derivePlacements } from "./placements.ts";
