/**
 * Filter chains of a waypoint: for the ports of services, and for the workloads themselves.
 *
 * @module
 */
import {
  type FilterChain,
  FilterChainSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { hash } from "../../../kit/base/mod.ts";
import { create, encode } from "../../../kit/proto/mod.ts";
import {
  ENCAP,
  inboundRoute,
  type ManagerDefaults,
  PASSTHROUGH_CLUSTER,
  type TcpChain,
  type WaypointChain,
  waypointHttpChain,
  waypointTcpChain,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  acceptsTunnels,
  isTls,
  mayBeHttp,
  type ObjectKey,
  type ProxyClass,
  type Service,
  type ServicePort,
} from "../../model/mod.ts";
import { addressesOf, sendsTunnels, usesAutoAddresses } from "../context/mod.ts";
import { tcpDestinations, tlsDestinations } from "../destinations/mod.ts";
import { attachedSecurity } from "../security/mod.ts";
import type { Context } from "./features.ts";
import { waypointOf, type WaypointTables } from "./keys.ts";
import { waypointName } from "./names.ts";
import { carriedBy, clusterNames } from "./services.ts";

/** Chains with what the listener has to look at. */
export interface Chains {
  readonly chains: readonly FilterChain[];
  /** Ports at which HTTP is found out. */
  readonly detected: readonly number[];
  /** Ports at which the server name of TLS is read. */
  readonly tls: readonly number[];
  /** Equal digests mean equal chains. */
  readonly digest: string;
}

function chainsWith(parts: Omit<Chains, "digest">): Chains {
  const { chains, detected, tls } = parts;
  const bytes = chains.map((chain) => hash(encode(FilterChainSchema, chain)));
  return { ...parts, digest: hash(JSON.stringify([bytes, detected, tls])) };
}

/** The chains of the ports of a service. */
export function serviceChains(
  read: Read,
  context: Context,
  { cls, service, manager, services }: {
    readonly cls: ProxyClass;
    readonly service: Service;
    readonly manager: ManagerDefaults;
    readonly services: WaypointTables["services"];
  },
): Chains {
  const waypoint = waypointOf(cls);
  const addresses = addressesOf(read, context, service, {
    autoAddresses: usesAutoAddresses(cls),
    family: "dual",
    cluster: cls.options.ADDRESS_CLUSTER,
  });
  if (addresses.length === 0) return chainsWith({ chains: [], detected: [], tls: [] });
  const security = attachedSecurity(
    read,
    context,
    targetOf(read, context, waypoint, service.source),
  );
  const all: FilterChain[] = [];
  const detected: number[] = [];
  const tls: number[] = [];
  for (const port of service.ports) {
    const carried = carriedBy(port);
    const found = carried.length > 1;
    if (found) detected.push(port.number);
    const base = { addresses, port: port.number, protocol: port.protocol, security, manager };
    if (carried.includes("http")) {
      const name = waypointName("http", { port: port.number, host: service.host });
      all.push(waypointHttpChain({ ...base, name, found }, { rds: name }));
    }
    if (!carried.includes("tcp")) continue;
    const name = waypointName("tcp", { port: port.number, host: service.host });
    const rename = clusterNames(read, services, waypoint, "tcp");
    for (const to of destinationsOf(read, context, service, port)) {
      const clusters = to.clusters.map((one) => ({ ...one, cluster: rename(one.cluster) }));
      if (to.sniHosts?.length) tls.push(port.number);
      all.push(waypointTcpChain({ ...base, name }, { ...to, clusters, statPrefix: name }));
    }
  }
  return chainsWith({ chains: all, detected, tls: [...new Set(tls)] });
}

/** The destinations of the connections of a port; the last destination takes all that no other does. */
function destinationsOf(
  read: Read,
  context: Context,
  service: Service,
  { number, protocol }: ServicePort,
): readonly TcpChain[] {
  const source = { namespace: service.namespace, labels: {}, isAnyone: true };
  const to = { service, port: number, ranges: [] };
  const plain = (): TcpChain[] =>
    tcpDestinations(read, context, source, to)
      .filter(({ destinationCidrs }) => !destinationCidrs?.length).slice(0, 1);
  if (!isTls(protocol) || mayBeHttp(protocol)) return plain();
  const named = tlsDestinations(read, context, source, { ...to, alone: true });
  const byName = named.filter(({ sniHosts }) => sniHosts !== undefined && sniHosts.length > 0);
  return [...byName, ...plain()];
}

function targetOf(read: Read, { mesh }: Context, waypoint: ObjectKey, object: string) {
  const found = mesh.ambient && read.get(mesh.ambient.waypoints.waypoint, waypoint);
  const { namespace, name: gateway } = waypoint;
  return { namespace, gateway, className: found?.className ?? "", object };
}

/**
 * The chains of connections to addresses of workloads: on through a tunnel where the workload accepts
 * them, else as they are.
 */
export function workloadChains(
  read: Read,
  context: Context,
  cls: ProxyClass,
  manager: ManagerDefaults,
): Chains {
  const { mesh } = context;
  const waypoint = waypointOf(cls);
  const rows = mesh.ambient === undefined
    ? []
    : read.get(mesh.ambient.waypoints.workloads, waypoint);
  const addresses: Record<typeof ENCAP | typeof PASSTHROUGH_CLUSTER, Set<string>> = {
    [ENCAP]: new Set(),
    [PASSTHROUGH_CLUSTER]: new Set(),
  };
  for (const key of rows) {
    const row = read.get(mesh.tables.workloadEntries, key);
    if (row === undefined || row.spec.address === "") continue;
    const labels = { ...row.spec.labels, ...row.meta.labels };
    const tunnels = sendsTunnels(context.features, cls) &&
      acceptsTunnels({ labels, redirected: row.pod?.redirected });
    addresses[tunnels ? ENCAP : PASSTHROUGH_CLUSTER].add(row.spec.address);
  }
  const security = attachedSecurity(read, context, targetOf(read, context, waypoint, ""));
  const chains = ([ENCAP, PASSTHROUGH_CLUSTER] as const).flatMap((cluster) => {
    const of = [...addresses[cluster]].sort();
    if (of.length === 0) return [];
    const base: Omit<WaypointChain, "name"> = {
      addresses: of,
      port: 0,
      protocol: "Unsupported",
      security,
      manager,
      direct: cluster === ENCAP,
    };
    const suffix = cluster === ENCAP ? "" : "-plain";
    return [
      waypointHttpChain({ ...base, name: `direct-http${suffix}`, found: true }, {
        inline: create(RouteConfigurationSchema, {
          name: "direct-http",
          virtualHosts: [{
            name: "direct-http",
            domains: ["*"],
            routes: [inboundRoute(cluster, "*")],
          }],
          validateClusters: false,
        }),
      }),
      waypointTcpChain({ ...base, name: `direct-tcp${suffix}` }, {
        clusters: [{ cluster, weight: 1 }],
        statPrefix: cluster,
      }),
    ];
  });
  return chainsWith({ chains, detected: [], tls: [] });
}
