/**
 * The tables of proxyless gRPC clients: resources of other forms than a proxy's. Their endpoints are
 * the same.
 *
 * @module
 */
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { type HostKey, hostKeys } from "../../derive/mod.ts";
import { buildGrpcListener, buildGrpcRoutes, clusterName } from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp, type Service, type ServicePort } from "../../model/mod.ts";
import {
  type ClientScope,
  clientScopes,
  type Context,
  findService,
  followService,
} from "../context/mod.ts";
import { hostRoutes, type RouteClient } from "../destinations/mod.ts";
import {
  differences,
  encodeResource,
  type HostPort,
  type Layered,
  type ListenerTable,
  overlayOf,
  resourceTable,
} from "../resources/mod.ts";
import { grpcClientKeys, type GrpcTables, type TargetKey, targetKeys } from "./keys.ts";
import { deriveGrpcClusters } from "./clusters.ts";
import { deriveGrpcServers } from "./servers.ts";

/** Creates the tables. */
export function deriveGrpcTables(context: Context): GrpcTables {
  const { graph } = context.mesh;
  const listeners = layered(
    context,
    "lds.grpc",
    (read, { namespace, host }) => listenersOf(read, context, namespace, host),
  );
  const routes = layered(
    context,
    "rds.grpc",
    (read, { namespace, host }) => routesOf(read, context, { namespace }, host),
  );
  return {
    clusters: deriveGrpcClusters(context),
    listeners,
    routes,
    targetListeners: deriveTargets(context, "lds.grpc.target", listeners, targetOf),
    targetRoutes: deriveTargets(context, "rds.grpc.target", routes, routeName),
    clientHosts: graph.derive(
      "grpc.particular",
      clientScopes,
      (read, scope): readonly string[] => clientHosts(read, context, scope),
    ),
    clientRoutes: resourceTable(graph, "rds.grpc.callers", grpcClientKeys, (read, key) => {
      const { namespace, host, rules, labels } = key;
      const mine = routesOf(
        read,
        context,
        { namespace, rules, labels: labels },
        host,
      );
      return differences(mine, read.get(routes.base, { namespace, host }));
    }),
    servers: deriveGrpcServers(context),
  };
}

function layered(
  context: Context,
  name: string,
  compute: (read: Read, key: HostKey) => readonly Resource[],
): Layered<HostKey> {
  const base = resourceTable(context.mesh.graph, name, hostKeys, compute);
  return { base, overlay: overlayOf(context, `${name}.overlay`, base) };
}

/** The resources of a host that are for one port. */
function deriveTargets(
  { mesh }: Context,
  name: string,
  { base }: Layered<HostKey>,
  nameOf: (target: HostPort) => string,
): ListenerTable<TargetKey> {
  return resourceTable(mesh.graph, name, targetKeys, (read, key) => {
    const { namespace, host } = key;
    const wanted = nameOf(key);
    return read.follow(base, { namespace, host }).filter((r) => r.name === wanted);
  });
}

/** Hosts with rules for clients with certain labels, and hosts that such clients hash differently. */
export function clientHosts(
  read: Read,
  { mesh }: Context,
  { namespace, sidecar, rules }: ClientScope,
): string[] {
  const ruled = rules.length === 0 ? [] : read.get(mesh.localities.ruledHosts, rules);
  const hosts = new Set([
    ...read.get(mesh.scopes.sourceLabelHosts, namespace),
    ...ruled,
    ...ruled.flatMap((host) => read.members(mesh.indexes.routeHostsByDestination, host)),
  ]);
  const all = [...hosts].sort();
  if (sidecar === "" || all.length === 0) return all;
  const seen = new Set(
    read.get(mesh.scopes.egressHosts, { namespace, sidecar, listener: undefined }),
  );
  return all.filter((host) => seen.has(host));
}

/** The ports that gRPC calls go to. */
function portsOf(service: Service | undefined): ServicePort[] {
  return service?.ports.filter(({ protocol }) => mayBeHttp(protocol)) ?? [];
}

/** The target that programs dial after `xds:///`; it is the name of its listener, too. */
function targetOf({ host, port }: HostPort): string {
  return `${host}:${port}`;
}

/** Name of a target's route table: the cluster of calls without routes. */
function routeName({ host, port }: HostPort): string {
  return clusterName("outbound", port, "", host);
}

function listenersOf(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
): readonly Resource[] {
  return portsOf(followService(read, context, namespace, host)).map(({ number: port }) => {
    const listener = buildGrpcListener(targetOf({ host, port }), routeName({ host, port }));
    return encodeResource(listener.name, ListenerSchema, listener);
  });
}

function routesOf(
  read: Read,
  context: Context,
  client: RouteClient,
  host: string,
): readonly Resource[] {
  return portsOf(findService(read, context, client.namespace, host)).flatMap(({ number: port }) => {
    const name = routeName({ host, port });
    const target = targetOf({ host, port });
    const found = hostRoutes(read.within(name, target), context, client, { host, port });
    if (found === undefined) return [];
    const message = buildGrpcRoutes({ name, target, routes: found.routes });
    return [encodeResource(name, RouteConfigurationSchema, message)];
  });
}
