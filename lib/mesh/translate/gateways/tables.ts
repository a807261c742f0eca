/**
 * The tables of listeners and route tables of gateways.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type GatewayPort,
  gatewayPortKey,
  type GatewayServer,
  gatewayServerKey,
  type LabelsKey,
  labelsKeys,
  onlyServer,
} from "../../derive/mod.ts";
import { blackHoleVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import type { Collection, Derived, Read, Resource } from "../../graph/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import type { Context } from "./features.ts";
import {
  resourceOf,
  resourceTable,
  type RouteTable,
  sortedKeys,
  type VirtualHostTable,
} from "../resources/mod.ts";
import {
  type GatewayHostKey,
  gatewayHostKeys,
  gatewayListenerKeys,
  gatewayShareKeys,
  type GatewayTable,
  type GatewayTableKey,
  gatewayTableKeys,
  type GatewayTables,
  gatewayTables,
} from "./keys.ts";
import { gatewayListeners, gatewayRouteName } from "./listeners.ts";
import { gatewayVirtualHost } from "./virtual_hosts.ts";
import {
  claimsOf,
  createFactsOf,
  type HostClaims,
  refusedHosts,
  UNCLAIMED,
} from "./virtual_services_of_hosts.ts";

/** A port, and its servers by their keys. */
interface KeyedPort {
  readonly port: GatewayPort;
  readonly servers: ReadonlyMap<string, GatewayServer>;
}

/** The ports of a proxy by their keys. */
type Ports = Derived<ReadonlyMap<string, KeyedPort>, LabelsKey>;

/** The tables' context, with the ports by their keys. */
type PortsContext = Context & { readonly ports: Ports };

/** Creates the tables. */
export function deriveGatewayTables(base: Context): GatewayTables {
  const { mesh } = base;
  const context = { ...base, ports: derivePorts(base) };
  const { graph } = mesh;
  const portsOf = (read: Read, scope: LabelsKey): readonly GatewayPort[] =>
    read.get(mesh.gatewayPorts, scope);
  return {
    portKeys: graph.derive(
      "gateway.portKeys",
      labelsKeys,
      (read, scope): readonly string[] => portsOf(read, scope).map(gatewayPortKey).sort(),
    ),
    tableKeys: graph.derive(
      "gateway.tableKeys",
      labelsKeys,
      (read, scope) => sortedKeys(gatewayTables, portsOf(read, scope).flatMap(tablesOf)),
    ),
    listeners: resourceTable(graph, "lds.gateway", gatewayListenerKeys, (read, key) => {
      const { variant, namespace, scope } = key;
      const port = followPort(read, context, scope, { port: key.port, server: "" });
      if (port === undefined) return [];
      const workload = {
        role: "router",
        namespace,
        labels: scope.labels,
      } as const;
      return gatewayListeners(read, context, { variant, workload, port }, portsOf(read, scope));
    }),
    routes: deriveRouteTables(context),
  };
}

/** One table for all lookups: a port has up to thousands of servers, each with a route table. */
function derivePorts({ mesh }: Context): Ports {
  return mesh.graph.derive(
    "gateway.portsByKey",
    labelsKeys,
    (read, scope): ReadonlyMap<string, KeyedPort> =>
      new Map(
        read.get(mesh.gatewayPorts, scope).map((port) => [gatewayPortKey(port), {
          port,
          // The first server of a key is used.
          servers: new Map(port.servers.toReversed().map((one) => [gatewayServerKey(one), one])),
        }]),
      ),
  );
}

function deriveRouteTables(context: PortsContext): RouteTable<GatewayTableKey> {
  const { graph } = context.mesh;
  const { hosts, virtualHosts } = deriveVirtualHosts(context);
  const collectionOf = (key: GatewayTableKey): Collection =>
    graph.collection(`gateway.vhost/${gatewayTableKeys.encode(key)}`, () => ({
      members: { listFrom: [hosts, key] },
      resources: virtualHosts,
      keyOf: (host: string) => ({ host, of: key }),
    }));
  return resourceTable(graph, "rds.gateway", gatewayTableKeys, (read, key) => {
    const port = followPort(read, context, key.scope, key.table);
    if (port === undefined) return [];
    const name = gatewayRouteName(port);
    const content = read.content(collectionOf(key));
    if (read.decide !== undefined) {
      const inside = read.within(name);
      for (const host of read.get(hosts, key)) inside.follow(virtualHosts, { host, of: key });
    }
    return [routeTable(name, port, content)];
  });
}

/** The virtual hosts of route tables. */
function deriveVirtualHosts(context: PortsContext): {
  readonly hosts: Derived<readonly string[], GatewayTableKey>;
  readonly virtualHosts: VirtualHostTable<GatewayHostKey>;
} {
  const { graph } = context.mesh;
  const factsOf = createFactsOf(context.mesh.domain);
  const claims = graph.derive("gateway.claims", gatewayTableKeys, (read, key) => {
    const port = portOf(read, context, key.scope, key.table);
    const refused = refusedBy(read, context, key.scope, key.table);
    return inShares(
      claimsOf(read, context, { namespace: key.namespace, factsOf }, { port, refused }),
    );
  });
  const hosts = graph.derive(
    "gateway.hosts",
    gatewayTableKeys,
    (read, key): readonly string[] =>
      read.get(claims, key).flatMap((share) => [...share.keys()]).sort(),
  );
  // A share of the hosts has a cell, so that a changed one leaves the cells of other hosts as they are.
  const shares = graph.derive(
    "gateway.claimsShare",
    gatewayShareKeys,
    (read, { share, of }) => read.get(claims, of)[share]!,
  );
  // One cell for each host between the claims of all hosts and its virtual host, so that a change of one
  // VirtualService translates only the hosts that it names.
  const hostClaims = graph.derive(
    "gateway.hostClaims",
    gatewayHostKeys,
    (read, { host, of }) => read.get(shares, { share: shareOf(host), of }).get(host) ?? UNCLAIMED,
  );
  const virtualHosts = resourceTable(graph, "gateway.vhost", gatewayHostKeys, (read, key) => {
    const { host, of: { namespace, table, scope } } = key;
    const port = portOf(read, context, scope, table);
    if (port === undefined) return [];
    const source = { namespace, labels: scope.labels };
    return [gatewayVirtualHost(read, context, { source, port, host }, read.get(hostClaims, key))];
  });
  return { hosts, virtualHosts };
}

/** Number of shares of the hosts of a route table. */
const SHARES = 64;

/** The claims of hosts, divided by {@linkcode shareOf}. */
function inShares(
  claims: ReadonlyMap<string, HostClaims>,
): readonly ReadonlyMap<string, HostClaims>[] {
  const shares = Array.from({ length: SHARES }, () => new Map<string, HostClaims>());
  for (const [host, found] of claims) shares[shareOf(host)]!.set(host, found);
  return shares;
}

/** The share of a host. */
function shareOf(host: string): number {
  let sum = 0;
  for (let i = 0; i < host.length; i++) sum = (sum * 31 + host.charCodeAt(i)) % 65_521;
  return sum % SHARES;
}

/** The route tables of a port. */
function tablesOf(port: GatewayPort): GatewayTable[] {
  const key = gatewayPortKey(port);
  if (port.family === "http") return [{ port: key, server: "" }];
  return port.servers.filter(({ kind }) => kind === "https")
    .map((server) => ({ port: key, server: gatewayServerKey(server) }));
}

/** The port of a route table; with the key of a server, the port of only that server. */
function portOf(
  read: Read,
  { ports }: PortsContext,
  scope: LabelsKey,
  { port: portKey, server: serverKey }: GatewayTable,
): GatewayPort | undefined {
  const keyed = read.get(ports, scope).get(portKey);
  if (keyed === undefined || serverKey === "") return keyed?.port;
  const server = keyed.servers.get(serverKey);
  return server && onlyServer(keyed.port, server);
}

/** The hosts that a server's route table refuses. */
function refusedBy(
  read: Read,
  { ports }: PortsContext,
  scope: LabelsKey,
  { port: portKey, server: serverKey }: GatewayTable,
): readonly string[] {
  const keyed = serverKey === "" ? undefined : read.get(ports, scope).get(portKey);
  const server = keyed?.servers.get(serverKey);
  return keyed === undefined || server === undefined ? [] : refusedHosts(keyed.port, server);
}

/** Like {@link portOf}, with the decisions about the port. */
function followPort(
  read: Read,
  context: PortsContext,
  scope: LabelsKey,
  table: GatewayTable,
): GatewayPort | undefined {
  if (read.decide !== undefined) {
    const ofPort = read.mapped(({ of = [], ...decision }) =>
      of[0] === table.port ? decision : undefined
    );
    ofPort.follow(context.mesh.gatewayPorts, scope);
  }
  return portOf(read, context, scope, table);
}

function routeTable(
  name: string,
  port: GatewayPort,
  virtualHosts: ReadonlyMap<string, Resource>,
): Resource {
  const sorted = [...virtualHosts.keys()].sort();
  const bytes = sorted.map((key) => virtualHosts.get(key)!.bytes);
  if (bytes.length === 0) bytes.push(encode(VirtualHostSchema, blackHoleVirtualHost(port.number)));
  return resourceOf(name, routeConfiguration(name, bytes, { ignorePortInHostMatching: true }));
}
