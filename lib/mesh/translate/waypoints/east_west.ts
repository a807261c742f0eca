/**
 * Gateways of the class `mesh-east-west`: they end outer tunnels from other networks, and forward the inner
 * ones to workloads and waypoints of the global services of their own network, as they are.
 *
 * @module
 */
import { networkAt } from "../../derive/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Read } from "../../graph/mod.ts";
import {
  acceptsTunnels,
  type Endpoint,
  type ObjectKey,
  objectKeys,
  type Service,
  type ServicePort,
} from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import {
  encodeAssignment,
  innerTunnelsCluster,
  TUNNEL_PORT,
  type TunnelRoute,
} from "../../envoy/mod.ts";
import { clusterDefaults } from "../clusters/mod.ts";
import { waypointProxies } from "../endpoints/mod.ts";
import { encodeResource, resourceOf, resourceTable } from "../resources/mod.ts";
import type { Context } from "./features.ts";
import { type EastWestTables, type EntranceService, entranceServices } from "./keys.ts";
import { waypointName } from "./names.ts";
import { servedService } from "./services.ts";

/** Creates the tables. */
export function deriveEastWest(context: Context): EastWestTables {
  const { mesh } = context;
  const { graph } = mesh;
  return {
    services: graph.derive(
      "eastWest.services",
      objectKeys,
      (read, gateway): readonly EntranceService[] => servicesAt(read, context, gateway),
    ),
    clusters: resourceTable(graph, "cds.eastWest", entranceServices, (read, { service: key }) => {
      const service = servedService(read, context, key);
      const defaults = clusterDefaults(read, context, "dual");
      return (service === undefined ? [] : carriedPorts(service)).map((port) => {
        const cluster = innerTunnelsCluster(nameOf(service!, port), defaults);
        return encodeResource(cluster.name, ClusterSchema, cluster);
      });
    }),
    endpoints: resourceTable(graph, "eds.eastWest", entranceServices, (read, key) => {
      const service = servedService(read, context, key.service);
      if (service === undefined) return [];
      const endpoints = endpointsAt(read, context, key);
      return carriedPorts(service).map((port) => {
        const clusterName = nameOf(service, port);
        const input = {
          clusterName,
          portName: port.name,
          // The inner tunnel ends at the port of tunnels, and has the port of the service.
          endpoints: endpoints.filter(({ ports, isWaypoint }) =>
            isWaypoint || ports[port.name] !== undefined
          ).map((one) => ({ ...one, ports: { [port.name]: TUNNEL_PORT } })),
          drainingLabel: context.features.drainingLabel,
        };
        return resourceOf(clusterName, encodeAssignment(input));
      });
    }),
  };
}

/** The routes of a gateway: from `host:port` of a service to its workloads. */
export function entranceRoutes(
  read: Read,
  context: Context,
  services: readonly EntranceService[],
): TunnelRoute[] {
  const routes = new Map<string, TunnelRoute>();
  for (const { service: key } of services) {
    const service = servedService(read, context, key);
    for (const port of service === undefined ? [] : carriedPorts(service)) {
      const authority = `${key.host}:${port.number}`;
      routes.set(authority, { authority, cluster: nameOf(service!, port) });
    }
  }
  return [...routes.values()];
}

function carriedPorts({ ports }: Service): readonly ServicePort[] {
  return ports.filter(({ protocol }) => protocol !== "UDP");
}

function nameOf({ host }: Service, { number }: ServicePort): string {
  return waypointName("tcp", { port: number, host });
}

/** Global services; of several with one host, the one that counts for other namespaces. */
function servicesAt(read: Read, { mesh }: Context, gateway: ObjectKey): EntranceService[] {
  const { ambient } = mesh;
  const network = ambient?.multiNetwork ? read.get(ambient.networks.entrance, gateway) : undefined;
  if (ambient === undefined || network === undefined) return [];
  return read.members(ambient.indexes.services, "all").filter((service) => {
    if (!read.get(ambient.remote.shares, service).some((one) => one.network === network)) {
      return false;
    }
    const counted = read.get(mesh.services.resolve, { namespace: "", host: service.host });
    return counted === undefined || counted.namespace === service.namespace;
  }).map((service) => ({ gateway, service }));
}

type Entrance = Endpoint & { readonly isWaypoint: boolean };

/** The proxies of the waypoints of a service, or its workloads that accept tunnels, in the network. */
function endpointsAt(
  read: Read,
  context: Context,
  { gateway, service }: EntranceService,
): readonly Entrance[] {
  const ambient = context.mesh.ambient!;
  const network = read.get(ambient.networks.entrance, gateway);
  const isHere = (endpoint: Endpoint) =>
    isIp(endpoint.address) &&
    networkAt(read, ambient, { ...endpoint, cluster: endpoint.cluster }) === network;
  const binding = read.get(ambient.waypoints.ofService, service);
  const proxies = waypointProxies(read, context, binding).filter(isHere);
  if (proxies.length > 0) return proxies.map((one) => ({ ...one, isWaypoint: true }));
  return read.get(context.mesh.services.endpoints, service)
    .filter((one) => acceptsTunnels(one) && isHere(one))
    .map((one) => ({ ...one, isWaypoint: false }));
}
