/**
 * The layers of gRPC libraries that speak xDS themselves (`GENERATOR: grpc` in a node's metadata):
 * resources of other forms than a proxy's, found in the same way, and endpoints that are the same.
 *
 * @module
 */
import {
  deriveTelling,
  lookUp,
  modeOf,
  type Tell,
  type Told,
  within,
  workloadKey,
} from "../derive/mod.ts";
import type { Collection, CollectionSpec, Derived, Read, Resource } from "../graph/mod.ts";
import type { ProxyClass, Service, ServicePort } from "../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { clusterName, mergeTrafficPolicy, notingListener } from "./cluster/mod.ts";
import { type Context, pick, pickService, splitKey } from "./context.ts";
import { namedCollection } from "./explained.ts";
import { buildGrpcCluster, buildGrpcListener, buildGrpcServerListener } from "./grpc/mod.ts";
import { type Layered, overlayOf } from "./placed.ts";
import { tellPolicies } from "./guards.ts";
import { encodeResource, resourceOf, sameResources } from "./resource.ts";
import { routeConfiguration } from "./route/mod.ts";

/** The tables: `NS|host`, and by class key what the workload serves itself. */
export interface GrpcTables {
  readonly clusters: Layered;
  readonly listeners: Layered;
  readonly routes: Layered;
  readonly servers: Derived<readonly Resource[]>;
}

/** Whether a class is a gRPC library and no proxy. */
export function isGrpc({ options }: Pick<ProxyClass, "options">): boolean {
  return options.GENERATOR === "grpc";
}

/** Creates the tables. `virtualHosts`: `NS|port|host` → the host's routes, as proxies have them. */
export function deriveGrpcTables(
  context: Context,
  virtualHosts: Derived<readonly Resource[]>,
): GrpcTables {
  const layered = (
    name: string,
    make: (read: Read, namespace: string, host: string, tell?: Tell) => readonly Resource[],
  ): Layered => {
    const { graph } = context.mesh;
    const base = deriveTelling<readonly Resource[]>(graph, name, (read, key, tell) => {
      const [namespace = "", host = ""] = splitKey(key, 2);
      return make(read, namespace, host, tell);
    }, { equal: sameResources });
    return { base, overlay: overlayOf(context, `${name}.overlay`, base, 2, 0) };
  };
  return {
    clusters: layered(
      "cds.grpc",
      (read, ns, host, tell) => clustersOf(read, context, ns, host, tell),
    ),
    listeners: layered(
      "lds.grpc",
      (read, ns, host, tell) =>
        portsOf(pickService(read, context, ns, host, tell)).map((port) => {
          const target = `${host}:${port.number}`;
          return listenerResource(buildGrpcListener(target, routeName(port, host)));
        }),
    ),
    routes: layered(
      "rds.grpc",
      (read, ns, host, tell) =>
        portsOf(pickService(read, context, ns, host, tell)).flatMap((port) => {
          const name = routeName(port, host);
          const key = `${ns}|${port.number}|${host}`;
          const hosts = lookUp(read, virtualHosts, key, within(tell, name));
          return hosts.length === 0
            ? []
            : [resourceOf(name, routeConfiguration(name, hosts.map((v) => v.bytes)))];
        }),
    ),
    servers: deriveTelling<readonly Resource[]>(
      context.mesh.graph,
      "lds.grpc.class",
      (read, key, tell) =>
        serversOf(read, context, read.get(context.classes, key), tell).map(listenerResource),
      { equal: sameResources },
    ),
  };
}

/** The ports that calls go to. */
function portsOf(service: Service | undefined): ServicePort[] {
  return service?.ports.filter(({ protocol }) => protocol !== "UDP") ?? [];
}

/** Routes go by the name of the cluster that calls reach without any. */
function routeName(port: ServicePort, host: string): string {
  return clusterName("outbound", port.number, "", host);
}

function listenerResource(listener: Listener): Resource {
  return encodeResource(listener.name, ListenerSchema, listener);
}

function clustersOf(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
  tell: Tell | undefined,
): Resource[] {
  const chosen = pick(read, context, namespace, host, tell);
  const service = chosen && lookUp(read, context.mesh.services.service, chosen.service, tell);
  if (service === undefined) return [];
  const policy = read.get(context.mesh.policies.policy, chosen!.rules);
  return portsOf(service).flatMap((port) =>
    [undefined, ...policy.subsets].map((subset) => {
      const name = clusterName("outbound", port.number, subset?.name ?? "", host);
      const groups = tell && new Map<string, Told>();
      const cluster = buildGrpcCluster({
        name,
        policy: mergeTrafficPolicy(
          policy.trafficPolicy,
          subset?.trafficPolicy,
          port.number,
          undefined,
          groups && notingListener(groups, policy, subset),
        ),
        identities: service.subjectAltNames,
      });
      for (const told of groups?.values() ?? []) within(tell, name)?.(told);
      return encodeResource(cluster.name, ClusterSchema, cluster);
    })
  );
}

/** Addresses that stand for all of a machine's, which servers listen on. */
const EVERY_ADDRESS = ["0.0.0.0", "::"];

/** The listeners of what a workload serves: mutual TLS where it is demanded, and access control. */
function serversOf(
  read: Read,
  context: Context,
  cls: ProxyClass,
  tell: Tell | undefined,
): Listener[] {
  const { security } = context.mesh;
  const key = workloadKey(cls);
  const modes = lookUp(read, security.peerModes, key, tell);
  const accessKeys = read.get(security.authorization, key);
  if (tell !== undefined) tellPolicies(tell, "access", "AuthorizationPolicy", accessKeys);
  const access = read.get(context.guards.authorization, accessKeys);
  const ports = [...new Set(cls.targets.map((target) => target.targetPort))];
  return ports.flatMap((port) =>
    EVERY_ADDRESS.map((address) => {
      const listener = buildGrpcServerListener({
        address,
        port,
        mutualTls: modeOf(modes, port) === "strict",
        filters: access.http.deciding,
      });
      tellServed(cls, port, within(tell, listener.name));
      return listener;
    })
  );
}

/** Says which services a port of the workload is served for; of them nothing more is read. */
function tellServed({ targets }: ProxyClass, listened: number, tell: Tell | undefined): void {
  for (const { service, targetPort } of tell === undefined ? [] : targets) {
    if (targetPort === listened) tell?.({ group: "service", source: "proxy", value: service });
  }
}

/** The layers of a class, by kind of resource. */
export function grpcLayers(
  context: Context,
  tables: GrpcTables,
  cls: ProxyClass,
): Record<"cluster" | "listener" | "route", readonly Collection[]> {
  const { graph, indexes, scopes } = context.mesh;
  const ns = cls.namespace;
  const collection = (name: string, spec: () => CollectionSpec): Collection =>
    namedCollection(graph, name, spec);
  const layers = (type: string, { base, overlay }: Layered): Collection[] => [
    collection(`${type}/grpc/overlay/${ns}`, () => ({
      members: { listFrom: [scopes.overlayHosts, ns] },
      resources: overlay,
      keyOf: (host) => `${ns}|${host}`,
    })),
    collection(`${type}/grpc/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: (host) => `|${host}`,
    })),
  ];
  const servers = collection(`listener/grpc/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: tables.servers,
  }));
  return {
    cluster: layers("cluster", tables.clusters),
    listener: [servers, ...layers("listener", tables.listeners)],
    route: layers("route", tables.routes),
  };
}
