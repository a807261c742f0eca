/**
 * Where TCP connections go: as a VirtualService's TCP rules say, else to the
 * service itself.
 *
 * @module
 */
import { gatewayKey, type GatewayPort } from "../derive/mod.ts";
import type { Read } from "../graph/mod.ts";
import { type ConfigObject, type Service } from "../model/mod.ts";
import { durationMs } from "../proto/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { clusterName, mergeTrafficPolicy } from "./cluster/mod.ts";
import { type Context, pick } from "./context.ts";
import { routeDefaults } from "./defaults.ts";
import type { TcpChain } from "./listener/mod.ts";
import { translateTcpRoutes } from "./route/mod.ts";
import { destinationResolver } from "./virtual_hosts.ts";

/**
 * The chains of a service's TCP port, as a namespace sees it.
 *
 * @param ranges address ranges that the connections must be meant for; empty: any
 */
export function tcpDestinations(
  read: Read,
  context: Context,
  namespace: string,
  service: Service,
  port: number,
  ranges: readonly string[],
): TcpChain[] {
  const { mesh } = context;
  const routeKey = read.get(mesh.routes.meshRoute, `${namespace}|${service.host}`);
  const row = routeKey === "" ? undefined : read.get(mesh.tables.virtualServices, routeKey);
  const name = clusterName("outbound", port, "", service.host);
  const pool = poolOf(read, context, namespace, service.host, port);
  const routes = row === undefined ? [] : chainsOf(read, context, namespace, row, "mesh", port);
  const own = routes.map((chain) => ({
    ...chain,
    ...pool,
    destinationCidrs: chain.destinationCidrs?.length ? chain.destinationCidrs : ranges,
  }));
  // A rule for part of the addresses leaves the rest to the service itself.
  if (own.some((chain) => chain.destinationCidrs.length === ranges.length)) return own;
  return [...own, {
    ...pool,
    destinationCidrs: ranges,
    clusters: [{ cluster: name, weight: 1 }],
    statPrefix: name,
  }];
}

/** The chains of a gateway's TCP port: the rules of all VirtualServices bound to it, the oldest's first. */
export function gatewayTcpChains(
  read: Read,
  context: Context,
  namespace: string,
  port: GatewayPort,
): TcpChain[] {
  const { mesh } = context;
  const routes = read.get(mesh.routes.gatewayRoutes, `${namespace}|${port.gateways.join(",")}`);
  return routes.flatMap((key) => {
    const row = read.get(mesh.tables.virtualServices, key);
    if (row === undefined) return [];
    const bound = new Set(row.spec.gateways.map((g) => gatewayKey(g, row.meta.namespace)));
    const gateway = port.gateways.find((g) => bound.has(g));
    return gateway === undefined
      ? []
      : chainsOf(read, context, namespace, row, gateway, port.number);
  });
}

function chainsOf(
  read: Read,
  context: Context,
  namespace: string,
  row: ConfigObject<VirtualService>,
  gateway: string,
  port: number,
): TcpChain[] {
  return translateTcpRoutes(row.spec, {
    gateway,
    port,
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    mesh: routeDefaults(read, context),
    resolve: destinationResolver(read, context, namespace, port),
  }).map((route) => ({
    destinationCidrs: route.match.subnets,
    clusters: route.clusters,
    hashSourceIp: route.hashSourceIp,
    statPrefix: route.clusters.length === 1
      ? route.clusters[0]!.cluster
      : `${row.meta.name}.${row.meta.namespace}`,
  }));
}

/** Times of the rule's TCP pool. */
function poolOf(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
  port: number,
): Pick<TcpChain, "idleTimeoutMs" | "maxConnectionDurationMs"> {
  const chosen = pick(read, context, namespace, host);
  if (chosen === undefined) return {};
  const policy = read.get(context.mesh.policies.policy, chosen.rules);
  const tcp = mergeTrafficPolicy(policy.trafficPolicy, undefined, port)?.connectionPool?.tcp;
  return {
    idleTimeoutMs: tcp?.idleTimeout && durationMs(tcp.idleTimeout),
    maxConnectionDurationMs: tcp?.maxConnectionDuration && durationMs(tcp.maxConnectionDuration),
  };
}
