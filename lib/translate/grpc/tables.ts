/**
 * The tables of gRPC libraries that speak xDS themselves: resources of other forms than a proxy's,
 * found in the same way, and endpoints that are the same.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  deriveTelling,
  labelKeys,
  localityKeys,
  lookUp,
  ruleKeys,
  type Tell,
  type Told,
  within,
} from "../../derive/mod.ts";
import {
  buildGrpcCluster,
  buildGrpcListener,
  buildGrpcRoutes,
  clusterName,
} from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp, type Service, serviceKeys, type ServicePort } from "../../model/mod.ts";
import {
  type Caller,
  type Context,
  mergeTrafficPolicy,
  notingListener,
  pickFor,
  pickService,
} from "../context/mod.ts";
import { hostRoutes, type RouteCaller } from "../destinations/mod.ts";
import {
  differences,
  encodeResource,
  type Layered,
  overlayOf,
  type Placed,
  sameResources,
  splitKey,
} from "../resources/mod.ts";
import { deriveGrpcServers } from "./servers.ts";

/** The tables: `NS|host`, and by class key what the workload serves itself. */
export interface GrpcTables {
  readonly clusters: Placed;
  readonly listeners: Layered;
  readonly routes: Layered;
  /** `NS|port|host` → the one listener, or route table, of a target: what Sidecars import. */
  readonly targets: Record<"listeners" | "routes", Derived<readonly Resource[]>>;
  /** `NS|sidecar|rules` → hosts whose routes depend on who calls. `rules` as in `callersOf`. */
  readonly particular: Derived<readonly string[]>;
  /** `NS|host|rules|labels` → what routes such callers have otherwise. */
  readonly callers: Derived<readonly Resource[]>;
  readonly servers: Derived<readonly Resource[]>;
}

/** Keys of the DestinationRules that select the workloads of a place, joined by commas. */
export function selectingRules(place: string): string {
  return place === "" ? "" : localityKeys.decode(place).rules.join(",");
}

type Make = (read: Read, caller: RouteCaller, host: string, tell?: Tell) => readonly Resource[];

/** Creates the tables. */
export function deriveGrpcTables(context: Context): GrpcTables {
  const { graph } = context.mesh;
  const equal = { equal: sameResources };
  const layered = (name: string, make: Make): Layered => {
    const base = deriveTelling<readonly Resource[]>(graph, name, (read, key, tell) => {
      const [namespace = "", host = ""] = splitKey(key, 2);
      return make(read, { namespace }, host, tell);
    }, equal);
    return { base, overlay: overlayOf(context, `${name}.overlay`, base, 2, 0) };
  };
  const routesFor: Make = (read, caller, host, tell) => routesOf(read, context, caller, host, tell);
  const listeners = layered(
    "lds.grpc",
    (read, { namespace }, host, tell) => listenersOf(read, context, namespace, host, tell),
  );
  const routes = layered("rds.grpc", routesFor);
  return {
    clusters: deriveClusters(context, layered),
    listeners,
    routes,
    targets: {
      listeners: deriveTargets(context, "lds.grpc.target", listeners, targetOf),
      routes: deriveTargets(context, "rds.grpc.target", routes, routeName),
    },
    particular: graph.derive<readonly string[]>(
      "grpc.particular",
      (read, key) => particularHosts(read, context, key),
    ),
    callers: deriveTelling<readonly Resource[]>(graph, "rds.grpc.callers", (read, key, tell) => {
      const [namespace = "", host = "", rules = "", labels = ""] = splitKey(key, 4);
      const caller = { namespace, rules: listed(rules), labels: labelKeys.decode(labels) };
      const mine = routesFor(read, caller, host, tell);
      return differences(mine, read.get(routes.base, `${namespace}|${host}`));
    }, equal),
    servers: deriveGrpcServers(context),
  };
}

function deriveClusters(
  context: Context,
  layered: (name: string, make: Make) => Layered,
): Placed {
  const clusters = layered(
    "cds.grpc",
    (read, caller, host, tell) => clustersOf(read, context, caller, host, tell),
  );
  const placed = deriveTelling<readonly Resource[]>(
    context.mesh.graph,
    "cds.grpc.placed",
    (read, key, tell) => {
      const [namespace = "", host = "", place = ""] = splitKey(key, 3);
      const rules = listed(selectingRules(place));
      const mine = clustersOf(read, context, { namespace, rules }, host, tell);
      return differences(mine, read.get(clusters.base, `${namespace}|${host}`));
    },
    { equal: sameResources },
  );
  return { ...clusters, placed };
}

/** Of the resources of a host, that of one port. */
function deriveTargets(
  { mesh }: Context,
  name: string,
  { base }: Layered,
  nameOf: (port: string, host: string) => string,
): Derived<readonly Resource[]> {
  return deriveTelling<readonly Resource[]>(mesh.graph, name, (read, key, tell) => {
    const [namespace = "", port = "", host = ""] = splitKey(key, 3);
    const wanted = nameOf(port, host);
    return lookUp(read, base, `${namespace}|${host}`, tell).filter((r) => r.name === wanted);
  }, { equal: sameResources });
}

/** Hosts with rules for callers of certain labels, and those of which such callers hash otherwise. */
function particularHosts(read: Read, { mesh }: Context, key: string): string[] {
  const [namespace = "", sidecar = "", rules = ""] = splitKey(key, 3);
  const ruled = rules === "" ? [] : read.get(mesh.localities.ruledHosts, ruleKeys.decode(rules));
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

function listed(rules: string): readonly string[] {
  return rules === "" ? [] : rules.split(",");
}

/** The ports that calls go to. */
function portsOf(service: Service | undefined): ServicePort[] {
  return service?.ports.filter(({ protocol }) => mayBeHttp(protocol)) ?? [];
}

/** What programs dial behind `xds:///`, and the name of its listener. */
function targetOf(port: number | string, host: string): string {
  return `${host}:${port}`;
}

/** Routes go by the name of the cluster that calls reach without any. */
function routeName(port: number | string, host: string): string {
  return clusterName("outbound", Number(port), "", host);
}

function listenersOf(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
  tell: Tell | undefined,
): Resource[] {
  return portsOf(pickService(read, context, namespace, host, tell)).map(({ number }) => {
    const listener = buildGrpcListener(targetOf(number, host), routeName(number, host));
    return encodeResource(listener.name, ListenerSchema, listener);
  });
}

function routesOf(
  read: Read,
  context: Context,
  caller: RouteCaller,
  host: string,
  tell: Tell | undefined,
): Resource[] {
  return portsOf(pickService(read, context, caller.namespace, host)).flatMap(({ number }) => {
    const name = routeName(number, host);
    const target = targetOf(number, host);
    const found = hostRoutes(read, context, caller, number, host, within(tell, name, target));
    if (found === undefined) return [];
    const message = buildGrpcRoutes({ name, target, routes: found.routes });
    return [encodeResource(name, RouteConfigurationSchema, message)];
  });
}

function clustersOf(
  read: Read,
  context: Context,
  caller: Caller,
  host: string,
  tell: Tell | undefined,
): Resource[] {
  const chosen = pickFor(read, context, caller, host, tell);
  const service = chosen &&
    lookUp(read, context.mesh.services.service, serviceKeys.decode(chosen.service), tell);
  if (service === undefined) return [];
  const policy = read.get(context.mesh.policies.policy, ruleKeys.decode(chosen!.rules));
  const fallback = context.mesh.field(read, "defaultTrafficPolicy");
  const ports = service.ports.filter(({ protocol }) => protocol !== "UDP");
  return ports.flatMap((port) =>
    [undefined, ...policy.subsets].map((subset) => {
      const name = clusterName("outbound", port.number, subset?.name ?? "", host);
      const groups = tell && new Map<string, Told>();
      const cluster = buildGrpcCluster({
        name,
        policy: mergeTrafficPolicy(
          policy.trafficPolicy,
          subset?.trafficPolicy,
          port.number,
          fallback,
          groups && notingListener(groups, policy, subset),
        ),
        identities: service.subjectAltNames,
      });
      for (const told of groups?.values() ?? []) within(tell, name)?.(told);
      return encodeResource(cluster.name, ClusterSchema, cluster);
    })
  );
}
