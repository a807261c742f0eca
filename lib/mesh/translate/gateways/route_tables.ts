/**
 * Route tables of gateways: whole ones, and skeletons with virtual hosts as separate resources (VHDS).
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { GatewayPort } from "../../derive/mod.ts";
import { blackHoleVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import {
  encodeResource,
  resourceOf,
  resourceTable,
  type VirtualHostTable,
} from "../resources/mod.ts";
import { inTable, partOf } from "../routes/mod.ts";
import {
  type GatewayHostKey,
  gatewayHostKeys,
  gatewayKeys,
  type GatewayPart,
  type GatewayTableKey,
  gatewayTableKeys,
  type GatewayTables,
} from "./keys.ts";
import { gatewayRouteName } from "./listeners.ts";
import { followPort, portOf, type PortsContext, tablesOf } from "./table_ports.ts";

/** The hosts of route tables, sorted, and their virtual hosts. */
export interface HostTables {
  readonly hosts: Derived<readonly string[], GatewayTableKey>;
  readonly virtualHosts: VirtualHostTable<GatewayHostKey>;
}

/** Creates the tables. */
export function deriveRouteTables(
  context: PortsContext,
  tables: HostTables,
): Pick<GatewayTables, "routes" | "skeletons" | "parts" | "partKeys"> {
  return {
    routes: deriveWholeTables(context, tables),
    skeletons: deriveSkeletons(context),
    parts: deriveParts(context, tables),
    partKeys: derivePartKeys(context, tables),
  };
}

function deriveWholeTables(
  context: PortsContext,
  { hosts, virtualHosts }: HostTables,
): GatewayTables["routes"] {
  const { graph } = context.mesh;
  const collectionOf = (key: GatewayTableKey): Collection =>
    graph.collection(`gateway.vhost/${gatewayTableKeys.encode(key)}`, () => ({
      members: { listFrom: [hosts, key] },
      resources: virtualHosts,
      keyOf: (host: string) => ({ host, of: key }),
    }));
  return resourceTable(graph, "rds.gateway", gatewayTableKeys, (read, key) => {
    const port = followPort(read, context, key.scope, key.table);
    if (port === undefined) return [];
    const content = read.content(collectionOf(key));
    if (read.decide !== undefined) {
      const inside = read.within(gatewayRouteName(port));
      for (const host of read.get(hosts, key)) inside.follow(virtualHosts, { host, of: key });
    }
    const sorted = [...content.keys()].sort();
    const all = sorted.map((name) => content.get(name)!);
    return [routeTable(port, all.length === 0 ? [blackHole(port)] : all)];
  });
}

/**
 * Route tables without virtual hosts. The host `*` is a resource as all others, so that the virtual
 * hosts of a table change in one response, and the table itself never does.
 */
function deriveSkeletons(context: PortsContext): GatewayTables["skeletons"] {
  return resourceTable(
    context.mesh.graph,
    "rds.gateway.skeleton",
    gatewayTableKeys,
    (read, key) => {
      const port = followPort(read, context, key.scope, key.table);
      return port === undefined ? [] : [routeTable(port, [], { virtualHostsApart: true })];
    },
  );
}

/** The host of a table without hosts, among its virtual hosts. */
const NO_HOST = "";

/** The virtual hosts of skeletons. */
function deriveParts(
  context: PortsContext,
  { virtualHosts }: HostTables,
): GatewayTables["parts"] {
  return resourceTable(context.mesh.graph, "vhds.gateway", gatewayHostKeys, (read, key) => {
    const { host, of: { scope, table } } = key;
    const port = portOf(read, context, scope, table);
    if (port === undefined) return [];
    const name = gatewayRouteName(port);
    const hosts = host === NO_HOST
      ? [blackHole(port)]
      : read.mapped(inTable(name)).follow(virtualHosts, key);
    return hosts.map((one) => partOf(name, one));
  });
}

/** The virtual hosts of all route tables of a proxy. */
function derivePartKeys(
  { mesh, ports }: PortsContext,
  { hosts }: HostTables,
): GatewayTables["partKeys"] {
  return mesh.graph.derive(
    "gateway.partKeys",
    gatewayKeys,
    (read, { namespace, scope }): readonly GatewayPart[] =>
      [...read.get(ports, scope).values()].flatMap(({ port }) => tablesOf(port))
        .flatMap((table) => {
          const found = read.get(hosts, { namespace, table, scope });
          return (found.length === 0 ? [NO_HOST] : found).map((host) => ({ host, table }));
        }),
  );
}

/** The virtual host of a table without hosts: all requests get 404. */
function blackHole({ number }: GatewayPort): Resource {
  const message = blackHoleVirtualHost(number);
  return encodeResource(message.name, VirtualHostSchema, message);
}

function routeTable(
  port: GatewayPort,
  virtualHosts: readonly Resource[],
  options: { readonly virtualHostsApart?: true } = {},
): Resource {
  const name = gatewayRouteName(port);
  const bytes = virtualHosts.map((r) => r.bytes);
  const all = { ...options, ignorePortInHostMatching: true };
  return resourceOf(name, routeConfiguration(name, bytes, all));
}
