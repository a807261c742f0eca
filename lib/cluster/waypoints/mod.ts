/**
 * Waypoints of a cluster: commands that make, remove and show them.
 *
 * @module
 */
export { listWaypoints } from "./list.ts";
export { GATEWAY, type WaypointCluster } from "./objects.ts";
export { showWaypointStatus } from "./status.ts";
export { applyWaypoint, deleteWaypoints, generateWaypoint } from "./write.ts";
