/**
 * The tables of listeners and route tables of gateways.
 *
 * @module
 */
import { type GatewayPort, gatewayPortKey, type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Context } from "./features.ts";
import { resourceTable, sortedKeys } from "../resources/mod.ts";
import {
  gatewayHostKeys,
  gatewayListenerKeys,
  type GatewayTable,
  gatewayTableKeys,
  type GatewayTables,
  gatewayTables,
} from "./keys.ts";
import { gatewayListeners } from "./listeners.ts";
import { deriveRouteTables, type HostTables } from "./route_tables.ts";
import { derivePorts, followPort, portOf, type PortsContext, tablesOf } from "./table_ports.ts";
import { gatewayVirtualHost } from "./virtual_hosts.ts";
import {
  type AcceptedHosts,
  acceptedHosts,
  claimsOfHost,
  type HostClaims,
  hostsOfTable,
  refusedHosts,
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
  };
}

/**
 * The virtual hosts of route tables. The claims of a host are found by the host alone, so that a changed
 * VirtualService concerns only the hosts that it names.
 */
function deriveVirtualHosts(context: PortsContext): HostTables {
  const { graph } = context.mesh;
  const accepted = graph.derive(
    "gateway.acceptedHosts",
    gatewayTableKeys,
    (read, { scope, table }): AcceptedHosts | undefined => {
      const port = portOf(read, context, scope, table);
      return port && acceptedHosts(port, refusedBy(read, context, scope, table));
    },
  );
  const hosts = graph.derive(
    "gateway.hosts",
    gatewayTableKeys,
    (read, key): readonly string[] => {
      const found = read.get(accepted, key);
      return found === undefined ? [] : hostsOfTable(read, context, key.namespace, found);
    },
  );
  const claims = graph.derive(
    "gateway.claims",
    gatewayHostKeys,
    (read, { host, of }): HostClaims | undefined => {
      const found = read.get(accepted, of);
      return found && claimsOfHost(read, context, { namespace: of.namespace, host }, found);
    },
  );
  const virtualHosts = resourceTable(graph, "gateway.vhost", gatewayHostKeys, (read, key) => {
    const { host, of: { namespace, table, scope } } = key;
    const port = portOf(read, context, scope, table);
    const claimed = read.get(claims, key);
    if (port === undefined || claimed === undefined) return [];
    const source = { namespace, labels: scope.labels };
    return [gatewayVirtualHost(read, context, { source, port, host }, claimed)];
  });
  return { hosts, virtualHosts };
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
