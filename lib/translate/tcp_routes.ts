/**
 * Where connections go: as a VirtualService's TCP or TLS rules say, else to the
 * service itself.
 *
 * @module
 */
import {
  fullHost,
  gatewayKey,
  type GatewayPort,
  type GatewayServer,
  lookUp,
  onlyServer,
  servedHosts,
  type Tell,
  type Told,
} from "../derive/mod.ts";
import type { Read } from "../graph/mod.ts";
import { type ConfigObject, type Service } from "../model/mod.ts";
import { durationMs } from "../proto/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { clusterName, mergeTrafficPolicy, notingListener } from "./cluster/mod.ts";
import { type Caller, type Context, pickFor } from "./context.ts";
import { routeDefaults } from "./defaults.ts";
import { knownProtocol } from "./features.ts";
import type { TcpChain } from "./listener/mod.ts";
import {
  hashesSourceIp,
  hashPolicyFor,
  type RouteSource,
  translateTcpRoutes,
  translateTlsRoutes,
} from "./route/mod.ts";
import { destinationResolver } from "./virtual_hosts.ts";
import { waysTo } from "./ways.ts";

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
  const routeKey = lookUp(read, mesh.routes.meshRoute, `${namespace}|${service.host}`, tell);
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
  const routeKey = lookUp(read, mesh.routes.meshRoute, `${namespace}|${service.host}`, tell);
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

/** A VirtualService that is bound to a gateway's port. */
export interface BoundRoute {
  readonly row: ConfigObject<VirtualService>;
  /** Those of the port's Gateways that it names, oldest first; at least one. */
  readonly gateways: readonly string[];
  /** All Gateways that it names. */
  readonly bound: ReadonlySet<string>;
}

/** The VirtualServices bound to a gateway's port, oldest first. */
export function boundRoutes(
  read: Read,
  { mesh }: Context,
  namespace: string,
  port: Pick<GatewayPort, "gateways">,
): BoundRoute[] {
  const routes = read.get(mesh.routes.gatewayRoutes, `${namespace}|${port.gateways.join(",")}`);
  return routes.flatMap((key) => {
    const row = read.get(mesh.tables.virtualServices, key);
    if (row === undefined) return [];
    const bound = new Set(row.spec.gateways.map((g) => gatewayKey(g, row.meta.namespace)));
    const gateways = port.gateways.filter((g) => bound.has(g));
    return gateways.length === 0 ? [] : [{ row, gateways, bound }];
  });
}

/** The chains of a gateway's TCP port: the rules of all VirtualServices bound to it, the oldest's first. */
export function gatewayTcpChains(
  read: Read,
  context: Context,
  source: RouteSource,
  port: GatewayPort,
  tell?: Tell,
): TcpChain[] {
  return boundRoutes(read, context, source.namespace, port).flatMap(({ row, gateways }) =>
    chainsOf(read, context, source, row, gateways, port.number, translateTcpRoutes, tell)
  );
}

/**
 * The chains of a gateway's server that forwards what is inside of TLS, or TLS
 * as it is: then by the TLS rules, for names that the server has.
 */
export function gatewayServerChains(
  read: Read,
  context: Context,
  source: RouteSource,
  port: GatewayPort,
  server: GatewayServer,
  tell?: Tell,
): TcpChain[] {
  const { mesh } = context;
  const only = onlyServer(port, server);
  return boundRoutes(read, context, source.namespace, only).flatMap(({ row, gateways, bound }) => {
    const owner = row.meta.namespace;
    const serves = (names: readonly string[]): string[] =>
      servedHosts(only, bound, names, owner).map(([host]) => host);
    if (server.kind === "passthrough") {
      return chainsOf(
        read,
        context,
        source,
        row,
        gateways,
        port.number,
        translateTlsRoutes,
        tell,
      )
        .map((chain) => ({ ...chain, sniHosts: serves(lowerCase(chain.sniHosts ?? [])) }))
        .filter((chain) => chain.sniHosts.length > 0);
    }
    const hosts = serves(row.spec.hosts.map((h) => fullHost(h, owner, mesh.domain)));
    if (hosts.length === 0) return [];
    const sniHosts = server.hosts.map(({ host }) => host);
    return chainsOf(read, context, source, row, gateways, port.number, translateTcpRoutes, tell)
      .map((chain) => ({ ...chain, sniHosts }));
  });
}

function lowerCase(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}

function chainsOf(
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
  const policy = read.get(context.mesh.policies.policy, chosen.rules);
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
