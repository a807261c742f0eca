/**
 * Route tables of waypoints: one for each port of a service that carries requests.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { routeConfiguration, virtualHostOf } from "../../envoy/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import { routeDefaults } from "../context/mod.ts";
import { hostRoutes } from "../destinations/mod.ts";
import { resourceOf, resourceTable, type RouteTable } from "../resources/mod.ts";
import type { Context } from "./features.ts";
import { type WaypointPort, waypointPorts, type WaypointTables } from "./keys.ts";
import { waypointName } from "./names.ts";
import { clusterNames } from "./services.ts";

/** Creates the table. Rules are those that clients in the namespace of the service see; they match clients of all namespaces. */
export function deriveWaypointRoutes(
  context: Context,
  services: WaypointTables["services"],
): RouteTable<WaypointPort> {
  const { graph } = context.mesh;
  return resourceTable(graph, "rds.waypoint", waypointPorts, (read, key) => {
    const { waypoint, service: { namespace, host }, port } = key;
    const name = waypointName("http", { port, host });
    const inside = read.within(name);
    const found = hostRoutes(inside, context, {
      namespace,
      isAnyone: true,
      clusterOf: clusterNames(read, services, waypoint, "http"),
    }, { host, port });
    if (found === undefined) return [];
    const hideAttempts = routeDefaults(read, context).hideAttempts;
    const virtualHost = virtualHostOf({ name, rule: found.rule, hideAttempts }, found.routes);
    return [resourceOf(name, routeConfiguration(name, [encode(VirtualHostSchema, virtualHost)]))];
  });
}
