/**
 * The route table of tunnels that end at waypoints and at gateways between networks, for meshes with tunnels
 * between networks: those have the host of a service as authority.
 *
 * @module
 */
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  CONNECT_TERMINATE,
  hostPort,
  INTO_PROXY,
  MAIN_INTERNAL,
  type TunnelRoute,
  tunnelRouteTable,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type ObjectKey, objectKeys } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { addressesOf } from "../context/mod.ts";
import { encodeResource, resourceTable, type RouteTable } from "../resources/mod.ts";
import { entranceRoutes } from "./east_west.ts";
import type { Context } from "./features.ts";
import type { EastWestTables, WaypointTables } from "./keys.ts";
import { isEntrance, servedService } from "./services.ts";

/** Creates the table: a waypoint or a gateway between networks → its routes of tunnels. */
export function deriveTunnelRoutes(
  context: Context,
  services: WaypointTables["services"],
  eastWest: EastWestTables,
): RouteTable<ObjectKey> {
  return resourceTable(context.mesh.graph, "rds.tunnels", objectKeys, (read, key) => {
    const routes = isEntrance(read, context, key)
      ? entranceRoutes(read, context, read.get(eastWest.services, key))
      : waypointRoutes(read, context, services, key);
    const table = tunnelRouteTable(routes);
    return [encodeResource(CONNECT_TERMINATE, RouteConfigurationSchema, table)];
  });
}

/** At a waypoint, the host of a service stands for its address. */
function waypointRoutes(
  read: Read,
  context: Context,
  services: WaypointTables["services"],
  waypoint: ObjectKey,
): TunnelRoute[] {
  const routes = new Map<string, TunnelRoute>();
  for (const key of read.get(services, waypoint)) {
    const service = servedService(read, context, key);
    const address = service && addressesOf(read, context, service, {
      autoAddresses: true,
      family: "dual",
      cluster: undefined,
    }).find(isIp);
    if (service === undefined || address === undefined) continue;
    for (const { number } of service.ports) {
      const authority = `${key.host}:${number}`;
      routes.set(authority, { authority, cluster: MAIN_INTERNAL, to: hostPort(address, number) });
    }
  }
  return [...routes.values(), INTO_PROXY];
}
