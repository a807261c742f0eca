/**
 * All tables of ambient mode.
 *
 * @module
 */
import { deriveWaypoints, type WaypointInputs, type Waypoints } from "./waypoints.ts";

/** Everything that the tables of ambient mode are made from. */
export type AmbientInputs = WaypointInputs;

/** The tables of ambient mode. */
export interface Ambient {
  readonly waypoints: Waypoints;
}

/** Creates the indexes and the tables. */
export function deriveAmbient(inputs: AmbientInputs): Ambient {
  return { waypoints: deriveWaypoints(inputs) };
}
