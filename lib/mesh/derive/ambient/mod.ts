/**
 * Ambient mode in the mesh, as derived tables.
 *
 * @module
 */
export { type Ambient, type AmbientInputs, deriveAmbient } from "./ambient.ts";
export { deriveWaypoints, type Waypoints } from "./waypoints.ts";
