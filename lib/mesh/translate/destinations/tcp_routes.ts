/**
 * Filter chains of TCP and TLS connections: by the TCP or TLS rules of a VirtualService, else to the
 * service itself.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  clusterName,
  hashesSourceIp,
  hashPolicyFor,
  type RouteSource,
  type TcpChain,
  translateTcpRoutes,
  translateTlsRoutes,
} from "../../envoy/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import { isConverted } from "../../gateway_api/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ConfigObject, Service } from "../../model/mod.ts";
import { durationMs } from "../../../kit/proto/mod.ts";
import {
  type Client,
  type Context,
  destinationResolver,
  findServiceRules,
  knownProtocol,
  mergedPolicy,
  routeDefaults,
  transportTo,
} from "../context/mod.ts";

/** A port of a service whose connections are forwarded. */
export interface ServiceDestination {
  readonly service: Service;
  readonly port: number;
  /** Address ranges of the connections' original destinations; empty: any. */
  readonly ranges: readonly string[];
}

/** The chains of a service's TCP port, as a client sees it. */
export function tcpDestinations(
  read: Read,
  context: Context,
  source: RouteSource,
  { service, port, ranges }: ServiceDestination,
): TcpChain[] {
  const row = virtualServiceOf(read, context, source.namespace, service.host);
  const name = clusterName("outbound", port, "", service.host);
  const { hashSourceIp, ...pool } = settingsOfRule(read, context, source, {
    host: service.host,
    port,
  });
  const routes = row === undefined ? [] : chainsOf(read, context, source, {
    row,
    gateways: ["mesh"],
    port,
    translate: translateTcpRoutes,
  });
  const declared = service.ports.find((p) => p.number === port)?.protocol ?? "TCP";
  const protocol = knownProtocol(context.features, declared);
  const own = routes.map((chain) => ({
    ...chain,
    protocol,
    destinationCidrs: chain.destinationCidrs?.length ? chain.destinationCidrs : ranges,
  }));
  // A rule for some of the addresses leaves the others to the service itself.
  if (own.some((chain) => chain.destinationCidrs.length === ranges.length)) return own;
  recordService(read, service, name);
  return [...own, {
    ...pool,
    protocol,
    destinationCidrs: ranges,
    hashSourceIp,
    ...serviceItself(read, context, source, name),
  }];
}

/** A TLS port of a service. */
export interface TlsDestination extends ServiceDestination {
  /**
   * Nothing else is served at this address, so that connections with any server name, or without
   * one, belong to the service.
   */
  readonly alone: boolean;
}

/**
 * The chains of a service's TLS port, distinguished by server name: by the TLS rules of a
 * VirtualService that apply there, else to the service itself. With rules, connections with other
 * server names are none of the service's: they are passed through.
 */
export function tlsDestinations(
  read: Read,
  context: Context,
  source: RouteSource,
  { service, port, ranges, alone }: TlsDestination,
): TcpChain[] {
  const row = virtualServiceOf(read, context, source.namespace, service.host);
  const name = clusterName("outbound", port, "", service.host);
  const { hashSourceIp, ...pool } = settingsOfRule(read, context, source, {
    host: service.host,
    port,
  });
  const rules = row === undefined ? [] : chainsOf(read, context, source, {
    row,
    gateways: ["mesh"],
    port,
    translate: translateTlsRoutes,
  });
  if (rules.length > 0) {
    return rules.map((chain) => ({
      ...chain,
      destinationCidrs: chain.destinationCidrs?.length ? chain.destinationCidrs : ranges,
    }));
  }
  recordService(read, service, name);
  return [{
    ...pool,
    destinationCidrs: ranges,
    sniHosts: alone ? [] : [service.host],
    hashSourceIp,
    ...serviceItself(read, context, source, name),
  }];
}

/** The VirtualService that routes a host for the proxies of a namespace. */
function virtualServiceOf(
  read: Read,
  { mesh }: Context,
  namespace: string,
  host: string,
): ConfigObject<VirtualService> | undefined {
  const key = read.follow(mesh.routes.meshRoute, { namespace, host });
  const row = key === "" ? undefined : read.get(mesh.tables.virtualServices, key);
  if (row === undefined || !isConverted(row.meta)) return row;
  return { ...row, spec: read.get(mesh.routes.spec, key) ?? row.spec };
}

function recordService(read: Read, { source }: Service, cluster: string): void {
  read.decide?.({ group: "to", source: "object", object: source, field: "spec", value: cluster });
}

/** The destination of a service without rules of a VirtualService. */
function serviceItself(
  read: Read,
  context: Context,
  client: Client,
  name: string,
): Pick<TcpChain, "clusters" | "statPrefix" | "tunnel" | "lookUpPort"> {
  const clusters = [{ cluster: name, weight: 1 }];
  return { clusters, statPrefix: name, ...transportTo(read, context, client, clusters) };
}

/** Rules of a VirtualService at a port. */
export interface ServedRules {
  readonly row: ConfigObject<VirtualService>;
  /** The served Gateways of the rule, or `mesh`. */
  readonly gateways: readonly string[];
  readonly port: number;
  /** Translates its TCP or its TLS rules. */
  readonly translate: typeof translateTcpRoutes;
}

/**
 * The chains of a VirtualService's TCP or TLS rules. Connections last as the rule of their first
 * destination says.
 */
export function chainsOf(
  read: Read,
  context: Context,
  source: RouteSource,
  { row, gateways, port, translate }: ServedRules,
): TcpChain[] {
  return translate(row.spec, {
    gateways,
    port,
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    source,
    mesh: routeDefaults(read, context),
    resolve: destinationResolver(read, context, source, port),
    decisions: read,
  }).map((route) => ({
    destinationCidrs: route.match.subnets,
    sniHosts: route.match.sniHosts,
    clusters: route.clusters,
    ...transportTo(read, context, source, route.clusters),
    ...timesOf(read, context, source, route.clusters[0]!.cluster),
    hashSourceIp: route.hashSourceIp,
    statPrefix: route.clusters.length === 1
      ? route.clusters[0]!.cluster
      : `${row.meta.name}.${row.meta.namespace}`,
  }));
}

/** The connection times of a cluster. */
function timesOf(
  read: Read,
  context: Context,
  client: Client,
  cluster: string,
): Pick<TcpChain, "idleTimeoutMs" | "maxConnectionDurationMs"> {
  const destination = parseClusterName(cluster);
  if (destination === undefined) return {};
  const { hashSourceIp: _, ...times } = settingsOfRule(read, context, client, destination);
  return times;
}

/**
 * The connection times of a host's rule, and whether it hashes by the source address. Times that the
 * settings of a port leave out are those of the whole rule: limits of the pool of a port do not make
 * its connections last without limit.
 */
function settingsOfRule(
  read: Read,
  context: Context,
  client: Client,
  { host, port }: { readonly host: string; readonly port: number },
): Pick<TcpChain, "idleTimeoutMs" | "maxConnectionDurationMs" | "hashSourceIp"> {
  const chosen = findServiceRules(read, context, client, host);
  if (chosen === undefined) return {};
  const rules = read.get(context.mesh.policies.policy, chosen.rules);
  const { policy, decisions } = mergedPolicy(read, { rules, port });
  const own = policy?.connectionPool?.tcp;
  const whole = rules.trafficPolicy?.connectionPool?.tcp;
  const idle = own?.idleTimeout ?? whole?.idleTimeout;
  const longest = own?.maxConnectionDuration ?? whole?.maxConnectionDuration;
  const pool = decisions.get("connectionPool");
  const ofPort = (own?.idleTimeout ?? own?.maxConnectionDuration) !== undefined;
  if (pool !== undefined && ofPort) {
    read.decide?.({ ...pool, group: "connection times", field: `${pool.field}.tcp` });
  } else if (idle !== undefined || longest !== undefined) {
    read.decide?.({
      group: "connection times",
      source: "object",
      object: `DestinationRule/${rules.trafficPolicyOf}`,
      field: "spec.trafficPolicy.connectionPool.tcp",
    });
  }
  return {
    idleTimeoutMs: idle && durationMs(idle),
    maxConnectionDurationMs: longest && durationMs(longest),
    hashSourceIp: hashesSourceIp({ hashPolicy: hashPolicyFor(policy?.loadBalancer) }),
  };
}
