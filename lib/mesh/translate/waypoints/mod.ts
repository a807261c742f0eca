/**
 * Waypoints: proxies that apply rules and policies to services and workloads that are bound to them.
 *
 * @module
 */
import type { ClusterKey } from "../clusters/mod.ts";
import type { ClusterTable } from "../resources/mod.ts";
import { deriveOwnClusters, deriveServiceClusters } from "./clusters.ts";
import { deriveEastWest } from "./east_west.ts";
import type { Context } from "./features.ts";
import type { WaypointTables } from "./keys.ts";
import { deriveWaypointListeners } from "./listeners.ts";
import { deriveWaypointRoutes } from "./routes.ts";
import { deriveServed } from "./services.ts";
import { deriveTunnelRoutes } from "./tunnel_routes.ts";

/** Creates the tables of waypoints, from the clusters of services. */
export function deriveWaypointTables(
  context: Context,
  outbound: ClusterTable<ClusterKey>,
): WaypointTables {
  const served = deriveServed(context);
  const eastWest = deriveEastWest(context);
  return {
    ...served,
    eastWest,
    tunnelRoutes: deriveTunnelRoutes(context, served.services, eastWest),
    routes: deriveWaypointRoutes(context, served.services),
    listeners: deriveWaypointListeners(context, served.services),
    own: deriveOwnClusters(context),
    clusters: deriveServiceClusters(context, outbound),
  };
}
export type { WaypointTables } from "./keys.ts";
export { waypointLayers, type WaypointLayerTables } from "./layers.ts";
