/**
 * Keys of the resources of waypoints, and the tables with them.
 *
 * @module
 */
import type { HostKey } from "../../derive/mod.ts";
import { type Derived, integer, type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import {
  GATEWAY_NAME_LABEL,
  type ObjectKey,
  objectKeys,
  type ProxyClass,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import type { ClusterKey } from "../clusters/mod.ts";
import type { ClusterTable, EndpointTable, ListenerTable, RouteTable } from "../resources/mod.ts";

/** The waypoint of a class; its proxies have the label of its Gateway. */
export function waypointOf({ namespace, labels }: ProxyClass): ObjectKey {
  return { namespace, name: labels[GATEWAY_NAME_LABEL] ?? "" };
}

/** A port of a service at a waypoint. */
export interface WaypointPort {
  readonly waypoint: ObjectKey;
  readonly service: ServiceKey;
  readonly port: number;
}

/** The codec of {@link WaypointPort}. */
export const waypointPorts: KeyCodec<WaypointPort> = keyOf<WaypointPort>({
  waypoint: objectKeys,
  service: serviceKeys,
  port: integer,
});

/** A service at the proxies of a class of a waypoint. */
export interface WaypointService {
  /** Key of the class. */
  readonly cls: string;
  readonly service: ServiceKey;
}

/** The codec of {@link WaypointService}. */
export const waypointServices: KeyCodec<WaypointService> = keyOf<WaypointService>({
  cls: text,
  service: serviceKeys,
});

/** A service at a gateway. */
export interface EntranceService {
  readonly gateway: ObjectKey;
  readonly service: ServiceKey;
}

/** The codec of {@link EntranceService}. */
export const entranceServices: KeyCodec<EntranceService> = keyOf<EntranceService>({
  gateway: objectKeys,
  service: serviceKeys,
});

/** The tables of gateways between networks. */
export interface EastWestTables {
  /** A Gateway → global services of its network; none if it is another gateway. */
  readonly services: Derived<readonly EntranceService[], ObjectKey>;
  readonly clusters: ClusterTable<EntranceService>;
  readonly endpoints: EndpointTable<EntranceService>;
}

export interface WaypointTables {
  /** A waypoint → the services that it serves, sorted. */
  readonly services: Derived<readonly ServiceKey[], ObjectKey>;
  /** A waypoint → other hosts that its routes and policies lead to, as namespaces see them. */
  readonly destinations: Derived<readonly HostKey[], ObjectKey>;
  /** A waypoint → the route tables of its ports. */
  readonly routeKeys: Derived<readonly WaypointPort[], ObjectKey>;
  readonly routes: RouteTable<WaypointPort>;
  /** Key of a class → its listeners. */
  readonly listeners: ListenerTable;
  /** Key of a class → clusters that every waypoint has. */
  readonly own: ClusterTable;
  readonly eastWest: EastWestTables;
  /** A waypoint or a gateway between networks → its routes of tunnels. */
  readonly tunnelRoutes: RouteTable<ObjectKey>;
  /** The clusters of a service, as its waypoint names them. */
  readonly clusters: ClusterTable<ClusterKey>;
}
