/**
 * Binding of services and workloads to waypoints.
 *
 * @module
 */
export { type Attachable, type BindingLookups, bindToWaypoint } from "./attachment.ts";
export type { BindingFault, WaypointBinding } from "./attachment.ts";
export {
  CANARY_WEIGHT,
  isThroughIngress,
  namedWaypoint,
  USE_WAYPOINT,
  waypointsOfUse,
  type WaypointUse,
} from "./labels.ts";
export {
  bindWaypoint,
  HBONE_PORT,
  type InboundBinding,
  isWaypointProxy,
  type TrafficType,
  type Waypoint,
  WAYPOINT_FOR,
} from "./waypoints.ts";
