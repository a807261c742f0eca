/**
 * Where connections go: as a VirtualService's TCP or TLS rules say, else to the
 * service itself.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { lookUp, ruleKeys, type Tell, type Told } from "../../derive/mod.ts";
import {
  clusterName,
  hashesSourceIp,
  hashPolicyFor,
  type RouteSource,
  type TcpChain,
  translateTcpRoutes,
  translateTlsRoutes,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ConfigObject, Service } from "../../model/mod.ts";
import { durationMs } from "../../proto/mod.ts";
import {
  type Caller,
  type Context,
  knownProtocol,
  mergeTrafficPolicy,
  notingListener,
  pickFor,
} from "../context/mod.ts";
import { destinationResolver } from "./destination.ts";
import { routeDefaults } from "./route_defaults.ts";
import { waysTo } from "./tunnels.ts";

/**
 * The chains of a service's TCP port, as a namespace sees it.
 *
 * @param ranges address ranges that the connections must be meant for; empty: any
 */
export function tcpDestinations(
  read: Read,
  context: Context,
  source: RouteSource,
  service: Service,
  port: number,
  ranges: readonly string[],
  tell?: Tell,
): TcpChain[] {
  const { mesh } = context;
  const { namespace } = source;
  const routeKey = lookUp(read, mesh.routes.meshRoute, { namespace, host: service.host }, tell);
  const row = routeKey === "" ? undefined : read.get(mesh.tables.virtualServices, routeKey);
  const name = clusterName("outbound", port, "", service.host);
  const { hashSourceIp, ...pool } = ruleOf(read, context, source, service.host, port, tell);
  const routes = row === undefined
    ? []
    : chainsOf(read, context, source, row, ["mesh"], port, translateTcpRoutes, tell);
  const declared = service.ports.find((p) => p.number === port)?.protocol ?? "TCP";
  const protocol = knownProtocol(context.features, declared);
  const own = routes.map((chain) => ({
    ...chain,
    ...pool,
    protocol,
    destinationCidrs: chain.destinationCidrs?.length ? chain.destinationCidrs : ranges,
  }));
  // A rule for part of the addresses leaves the rest to the service itself.
  if (own.some((chain) => chain.destinationCidrs.length === ranges.length)) return own;
  tell?.({ group: "to", source: "object", object: service.source, field: "spec", value: name });
  return [...own, {
    ...pool,
    protocol,
    destinationCidrs: ranges,
    hashSourceIp,
    ...serviceItself(read, context, source, name, tell),
  }];
}

/**
 * The chains of a service's TLS port, told apart by server name: where a
 * VirtualService's TLS rules send them, and for other names of the host the
 * service itself.
 *
 * @param ranges address ranges that the connections must be meant for; empty: any
 * @param alone whether nothing else is served at this address, so that
 * connections with any name or none are the service's
 */
export function tlsDestinations(
  read: Read,
  context: Context,
  source: RouteSource,
  service: Service,
  port: number,
  ranges: readonly string[],
  alone: boolean,
  tell?: Tell,
): TcpChain[] {
  const { mesh } = context;
  const { namespace } = source;
  const routeKey = lookUp(read, mesh.routes.meshRoute, { namespace, host: service.host }, tell);
  const row = routeKey === "" ? undefined : read.get(mesh.tables.virtualServices, routeKey);
  const name = clusterName("outbound", port, "", service.host);
  const { hashSourceIp, ...pool } = ruleOf(read, context, source, service.host, port, tell);
  tell?.({ group: "to", source: "object", object: service.source, field: "spec", value: name });
  const rules = row === undefined
    ? []
    : chainsOf(read, context, source, row, ["mesh"], port, translateTlsRoutes, tell);
  return [
    ...rules.map((chain) => ({
      ...chain,
      ...pool,
      destinationCidrs: chain.destinationCidrs?.length ? chain.destinationCidrs : ranges,
    })),
    {
      ...pool,
      destinationCidrs: ranges,
      sniHosts: alone ? [] : [service.host],
      hashSourceIp,
      ...serviceItself(read, context, source, name, tell),
    },
  ];
}

/** The way to a service where no VirtualService says another. */
function serviceItself(
  read: Read,
  context: Context,
  caller: Caller,
  name: string,
  tell: Tell | undefined,
): Pick<TcpChain, "clusters" | "statPrefix" | "tunnel" | "lookUpPort"> {
  const clusters = [{ cluster: name, weight: 1 }];
  return { clusters, statPrefix: name, ...waysTo(read, context, caller, clusters, tell) };
}

export function chainsOf(
  read: Read,
  context: Context,
  source: RouteSource,
  row: ConfigObject<VirtualService>,
  gateways: readonly string[],
  port: number,
  translate: typeof translateTcpRoutes,
  tell: Tell | undefined,
): TcpChain[] {
  const { namespace } = source;
  return translate(row.spec, {
    gateways,
    port,
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    source,
    mesh: routeDefaults(read, context),
    resolve: destinationResolver(read, context, namespace, port, source.rules),
    tell,
  }).map((route) => ({
    destinationCidrs: route.match.subnets,
    sniHosts: route.match.sniHosts,
    clusters: route.clusters,
    ...waysTo(read, context, source, route.clusters, tell),
    hashSourceIp: route.hashSourceIp,
    statPrefix: route.clusters.length === 1
      ? route.clusters[0]!.cluster
      : `${row.meta.name}.${row.meta.namespace}`,
  }));
}

/** What the rule says of connections: times of its TCP pool, and what a destination is chosen by. */
function ruleOf(
  read: Read,
  context: Context,
  caller: Caller,
  host: string,
  port: number,
  tell: Tell | undefined,
): Pick<TcpChain, "idleTimeoutMs" | "maxConnectionDurationMs" | "hashSourceIp"> {
  const chosen = pickFor(read, context, caller, host);
  if (chosen === undefined) return {};
  const policy = read.get(context.mesh.policies.policy, ruleKeys.decode(chosen.rules));
  const groups = tell && new Map<string, Told>();
  const merged = mergeTrafficPolicy(
    policy.trafficPolicy,
    undefined,
    port,
    undefined,
    groups && notingListener(groups, policy, undefined),
  );
  const tcp = merged?.connectionPool?.tcp;
  const pool = groups?.get("connectionPool");
  if (pool !== undefined && (tcp?.idleTimeout ?? tcp?.maxConnectionDuration) !== undefined) {
    tell?.({ ...pool, group: "connection times", field: `${pool.field}.tcp` });
  }
  return {
    idleTimeoutMs: tcp?.idleTimeout && durationMs(tcp.idleTimeout),
    maxConnectionDurationMs: tcp?.maxConnectionDuration && durationMs(tcp.maxConnectionDuration),
    hashSourceIp: hashesSourceIp({ hashPolicy: hashPolicyFor(merged?.loadBalancer) }),
  };
}
