/**
 * Endpoints (EDS): of namespaces, of localities, of what Sidecars import.
 *
 * @module
 */
export {
  egressEndpoints,
  endpointLayers,
  type EndpointLayerTables,
  localEndpoints,
} from "./layers.ts";
export { meshLocality } from "./mesh_locality.ts";
export { deriveEndpoints } from "./tables.ts";
export { waypointProxies } from "./through_waypoints.ts";
export type { EndpointFeatures } from "./features.ts";
