/**
 * TCP and TLS rules: the clusters of connections, as plain data for the listener.
 *
 * @module
 */
import type {
  L4MatchAttributes,
  RouteDestination,
  VirtualService,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { conditionHolds, inService, type ResolvedDestination, type RouteScope } from "./scope.ts";

/** One rule of a port, first match wins. */
export interface TcpRoute {
  readonly match: {
    /** Destination addresses or CIDR ranges; empty: any. */
    readonly subnets: readonly string[];
    /** The listener's port if the rule requires it, 0 for any port. */
    readonly port: number;
    /** Server names (SNI) of a TLS rule; empty: any, or no TLS. */
    readonly sniHosts: readonly string[];
  };
  /** Never empty. Weights are relative; a single cluster gets everything. */
  readonly clusters: readonly TcpCluster[];
  /** True: the endpoint is selected by a hash of the client's address. */
  readonly hashSourceIp: boolean;
}

/** A weighted share of the connections. */
export interface TcpCluster {
  readonly cluster: string;
  /** Above 0. */
  readonly weight: number;
}

/**
 * Returns the TCP rules of a VirtualService in a scope, in order. It omits matches for other
 * gateways, ports or sources, rules after one for any address, and rules whose destinations all
 * have weight 0.
 */
export function translateTcpRoutes(vs: VirtualService, scope: RouteScope): TcpRoute[] {
  const routes: TcpRoute[] = [];
  for (const [i, rule] of vs.tcp.entries()) {
    const targets = tcpTargets(rule.route, scope);
    if (targets.length === 0) continue;
    const matches: (L4MatchAttributes | undefined)[] = rule.match.length === 0
      ? [undefined]
      : rule.match;
    for (const match of matches) {
      if (match !== undefined && !conditionHolds(match, scope)) continue;
      recordRule(scope, `spec.tcp[${i}]`, targets);
      routes.push({
        match: {
          subnets: match?.destinationSubnets ?? [],
          port: match?.port ?? 0,
          sniHosts: [],
        },
        ...sharesOf(targets),
      });
      if (routes.at(-1)!.match.subnets.length === 0) return routes;
    }
  }
  return routes;
}

/**
 * Returns the TLS rules of a VirtualService in a scope, one for each match that applies, in order.
 * TLS is passed through to their destinations.
 */
export function translateTlsRoutes(vs: VirtualService, scope: RouteScope): TcpRoute[] {
  return vs.tls.flatMap((rule, i) => {
    const targets = tcpTargets(rule.route, scope);
    if (targets.length === 0) return [];
    if (rule.match.some((match) => conditionHolds(match, scope))) {
      recordRule(scope, `spec.tls[${i}]`, targets);
    }
    return rule.match.filter((match) => conditionHolds(match, scope)).map((match) => ({
      match: { subnets: match.destinationSubnets, port: match.port, sniHosts: match.sniHosts },
      ...sharesOf(targets),
    }));
  });
}

interface Target {
  readonly resolved: ResolvedDestination;
  readonly weight: number;
}

function recordRule(scope: RouteScope, at: string, targets: readonly Target[]): void {
  scope.decisions?.decide?.({
    group: "rule",
    ...inService(scope, at),
    value: targets.map(({ resolved }) => resolved.cluster).join(", "),
  });
}

function sharesOf(targets: readonly Target[]): Pick<TcpRoute, "clusters" | "hashSourceIp"> {
  return {
    clusters: targets.map(({ resolved, weight }) => ({ cluster: resolved.cluster, weight })),
    hashSourceIp: targets.some(({ resolved }) => hashesSourceIp(resolved)),
  };
}

function tcpTargets(
  routes: readonly RouteDestination[],
  scope: RouteScope,
): Target[] {
  return routes.flatMap(({ destination, weight }) => {
    if (destination === undefined || (weight <= 0 && routes.length > 1)) return [];
    const resolved = scope.resolve(destination, scope.vsNamespace);
    return [{ resolved, weight: Math.max(1, weight) }];
  });
}

/** Reports if a destination hashes the client's address, which is the only hash for connections. */
export function hashesSourceIp(
  { hashPolicy = [] }: Pick<ResolvedDestination, "hashPolicy">,
): boolean {
  return hashPolicy.some((p) => p.policySpecifier.case === "connectionProperties");
}
