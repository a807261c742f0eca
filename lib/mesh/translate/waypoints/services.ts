/**
 * The scope of a waypoint: services that are bound to it, and where their routes lead.
 *
 * @module
 */
import { destinationsOf, type HostKey, hostKeys } from "../../derive/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import {
  fullHost,
  isHttp,
  mayBeHttp,
  mayBeTcp,
  type ObjectKey,
  objectKeys,
  type Service,
  type ServiceKey,
  type ServicePort,
} from "../../model/mod.ts";
import { providerHosts } from "../gateways/mod.ts";
import type { Context } from "./features.ts";
import type { WaypointPort, WaypointTables } from "./keys.ts";
import { atWaypoint, type Carried } from "./names.ts";

/** The content of the connections of a port; both where HTTP is found out. */
export function carriedBy({ protocol }: ServicePort): readonly Carried[] {
  if (isHttp(protocol)) return ["http"];
  return [
    ...mayBeHttp(protocol) ? ["http"] as const : [],
    ...mayBeTcp(protocol) ? ["tcp"] as const : [],
  ];
}

/** The service of a key, if a waypoint can serve it. */
export function servedService(read: Read, { mesh }: Context, key: ServiceKey): Service | undefined {
  const service = read.get(mesh.services.service, key);
  return service === undefined || service.alias !== undefined ? undefined : service;
}

/** Reports if a Gateway takes tunnels into its network. */
export function isEntrance(read: Read, { mesh: { ambient } }: Context, key: ObjectKey): boolean {
  return ambient?.multiNetwork === true && read.get(ambient.networks.entrance, key) !== undefined;
}

/** Creates the tables of what waypoints serve. */
export function deriveServed(
  context: Context,
): Pick<WaypointTables, "services" | "destinations" | "routeKeys"> {
  const { mesh } = context;
  const { graph } = mesh;
  const services: WaypointTables["services"] = graph.derive(
    "waypoint.services",
    objectKeys,
    (read, key): readonly ServiceKey[] => {
      if (mesh.ambient === undefined) return [];
      return read.get(mesh.ambient.waypoints.services, key)
        .filter((service) => servedService(read, context, service) !== undefined);
    },
  );
  return {
    services,
    routeKeys: graph.derive(
      "waypoint.routeKeys",
      objectKeys,
      (read, waypoint): readonly WaypointPort[] =>
        read.get(services, waypoint).flatMap((service) =>
          (servedService(read, context, service)?.ports ?? [])
            .filter((port) => carriedBy(port).includes("http"))
            .map(({ number }) => ({ waypoint, service, port: number }))
        ),
    ),
    destinations: graph.derive(
      "waypoint.destinations",
      objectKeys,
      (read, waypoint) => destinationsAt(read, context, services, waypoint),
    ),
  };
}

/** Hosts besides the services themselves: of rules, of providers. */
function destinationsAt(
  read: Read,
  context: Context,
  services: WaypointTables["services"],
  waypoint: ObjectKey,
): readonly HostKey[] {
  const { mesh } = context;
  const served = read.get(services, waypoint);
  const own = new Set(served.map(({ host }) => host));
  const found = new Map<string, HostKey>();
  const add = (namespace: string, host: string): void => {
    const key = { namespace, host };
    if (!own.has(host)) found.set(hostKeys.encode(key), key);
  };
  for (const { namespace, host } of served) {
    const route = read.get(mesh.routes.meshRoute, { namespace, host });
    const row = route === "" ? undefined : read.get(mesh.tables.virtualServices, route);
    const spec = row && (read.get(mesh.routes.spec, route) ?? row.spec);
    if (row === undefined || spec === undefined) continue;
    for (const { host: to } of destinationsOf(spec)) {
      add(namespace, fullHost(to, row.meta.namespace, mesh.domain));
    }
  }
  if (served.length > 0) {
    for (const host of providerHosts(read, context)) add(waypoint.namespace, host);
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/**
 * Returns the function that names clusters of a waypoint: those of the services that it serves have
 * names of their own.
 */
export function clusterNames(
  read: Read,
  services: Derived<readonly ServiceKey[], ObjectKey>,
  waypoint: ObjectKey,
  carried: Carried,
): (outbound: string) => string {
  const own = new Set(read.get(services, waypoint).map(({ host }) => host));
  return (outbound) =>
    own.has(parseClusterName(outbound)?.host ?? "") ? atWaypoint(carried, outbound) : outbound;
}
