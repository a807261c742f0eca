/**
 * The tables of listeners and route tables of gateways.
 *
 * @module
 */
import {
  type GatewayPort,
  gatewayPortKey,
  gatewayServerKey,
  type LabelsKey,
  labelsKeys,
} from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Context } from "./features.ts";
import { resourceTable, sortedKeys } from "../resources/mod.ts";
import {
  gatewayHostKeys,
  gatewayKeys,
  gatewayListenerKeys,
  type GatewayPart,
  gatewayShareKeys,
  type GatewayTable,
  gatewayTableKeys,
  type GatewayTables,
  gatewayTables,
} from "./keys.ts";
import { gatewayListeners } from "./listeners.ts";
import { deriveRouteTables, type HostTables } from "./route_tables.ts";
import { derivePorts, followPort, portOf, type PortsContext } from "./table_ports.ts";
import { gatewayVirtualHost } from "./virtual_hosts.ts";
import {
  claimsOf,
  createFactsOf,
  type HostClaims,
  refusedHosts,
  UNCLAIMED,
} from "./virtual_services_of_hosts.ts";

/** Creates the tables. */
export function deriveGatewayTables(base: Context): GatewayTables {
  const { mesh } = base;
  const context = { ...base, ports: derivePorts(base) };
  const hosts = deriveVirtualHosts(context);
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
    ...deriveRouteTables(context, hosts),
    partKeys: graph.derive(
      "gateway.partKeys",
      gatewayKeys,
      (read, { namespace, scope }): readonly GatewayPart[] =>
        portsOf(read, scope).flatMap(tablesOf).flatMap((table) =>
          read.get(hosts.hosts, { namespace, table, scope })
            .filter((host) => host !== "*")
            .map((host) => ({ host, table }))
        ),
    ),
  };
}

/** The virtual hosts of route tables. */
function deriveVirtualHosts(context: PortsContext): HostTables {
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
