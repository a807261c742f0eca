/**
 * Services that gateways reach through their waypoints: the endpoints are the waypoint's proxies, which
 * forward to the address of the service.
 *
 * @module
 */
import { hostPort } from "../../envoy/mod.ts";
import type { WaypointBinding } from "../../ambient/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Endpoint, ObjectKey, Service, ServiceKey, ServicePort } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { trustDomainsOf } from "../security/mod.ts";
import type { Context } from "./features.ts";
import { identitiesOf, type TunnelOf } from "./tunnels.ts";

/** Port at which the proxies of waypoints accept tunnels. */
const HBONE_PORT = 15008;

/** The proxies of the waypoints of a service, and the tunnels through them. */
export interface ThroughWaypoint {
  /** Their endpoints, with the ports of the service. */
  readonly endpoints: (port: ServicePort) => readonly Endpoint[];
  readonly tunnel: (port: ServicePort) => TunnelOf;
}

/**
 * Returns how gateways reach a service through its waypoints; `undefined`: they reach it directly,
 * because its labels do not ask for more, it has no address, or its waypoint has no proxies.
 */
export function throughWaypoint(
  read: Read,
  context: Context,
  key: ServiceKey,
  service: Service,
): ThroughWaypoint | undefined {
  const { mesh } = context;
  if (mesh.ambient === undefined) return undefined;
  const { waypoints } = mesh.ambient;
  const binding = read.get(waypoints.ofService, key);
  const address = service.addresses.find(isIp);
  if (!binding.ingress || binding.waypoint === undefined || address === undefined) return undefined;
  const all = waypointProxies(read, context, binding);
  if (all.length === 0) return undefined;
  const domains = trustDomainsOf(read, context);
  return {
    endpoints: (port) => all.map((one) => ({ ...one, ports: { [port.name]: HBONE_PORT } })),
    tunnel: ({ number }) => (endpoint) => ({
      to: hostPort(address, number),
      waypoint: hostPort(endpoint.address, HBONE_PORT),
      identity: identitiesOf(endpoint, domains),
    }),
  };
}

/** The proxies of the waypoints of a service that are ready, each waypoint with its share. */
export function waypointProxies(
  read: Read,
  context: Context,
  { waypoint, canary }: WaypointBinding,
): readonly Endpoint[] {
  if (waypoint === undefined) return [];
  const main = proxiesOf(read, context, waypoint);
  const second = canary === undefined ? [] : proxiesOf(read, context, canary.waypoint);
  return shared(main, second, canary?.weight ?? 0);
}

/** The proxies of a waypoint that are ready. */
function proxiesOf(read: Read, { mesh }: Context, key: ObjectKey): readonly Endpoint[] {
  const { service } = read.get(mesh.ambient!.waypoints.waypoint, key) ?? {};
  if (service === undefined) return [];
  return read.get(mesh.services.endpoints, service)
    .filter(({ health, address }) => health === "healthy" && isIp(address));
}

/** Weighs the proxies of two waypoints, so that the second gets a share in percent. */
function shared(main: readonly Endpoint[], second: readonly Endpoint[], share: number): Endpoint[] {
  if (second.length === 0 || share === 0) return [...main];
  if (main.length === 0 || share === 100) return [...second];
  return [
    ...main.map((one) => ({ ...one, weight: (100 - share) * second.length })),
    ...second.map((one) => ({ ...one, weight: share * main.length })),
  ];
}
