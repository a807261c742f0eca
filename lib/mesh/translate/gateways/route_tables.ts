/**
 * Route tables of gateways: whole ones, and skeletons with virtual hosts as separate resources (VHDS).
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { GatewayPort } from "../../derive/mod.ts";
import { blackHoleVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import { resourceOf, resourceTable, type VirtualHostTable } from "../resources/mod.ts";
import { inTable, partsOf } from "../routes/mod.ts";
import {
  type GatewayHostKey,
  gatewayHostKeys,
  type GatewayTableKey,
  gatewayTableKeys,
  type GatewayTables,
} from "./keys.ts";
import { gatewayRouteName } from "./listeners.ts";
import { followPort, portOf, type PortsContext } from "./table_ports.ts";

/** The hosts of route tables, sorted, and their virtual hosts. */
export interface HostTables {
  readonly hosts: Derived<readonly string[], GatewayTableKey>;
  readonly virtualHosts: VirtualHostTable<GatewayHostKey>;
}

/** Creates the tables. */
export function deriveRouteTables(
  context: PortsContext,
  tables: HostTables,
): Pick<GatewayTables, "routes" | "skeletons" | "parts"> {
  return {
    routes: deriveWholeTables(context, tables),
    skeletons: deriveSkeletons(context, tables),
    parts: deriveParts(context, tables),
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
    return [routeTable(port, sorted.map((name) => content.get(name)!), content.size === 0)];
  });
}

/**
 * Route tables without their virtual hosts. The host `*` stays, and what a table without hosts has
 * in its place.
 */
function deriveSkeletons(
  context: PortsContext,
  { hosts, virtualHosts }: HostTables,
): GatewayTables["skeletons"] {
  const { graph } = context.mesh;
  // `*` sorts before all other hosts.
  const firstHosts = graph.derive(
    "gateway.inlineHost",
    gatewayTableKeys,
    (read, key): "*" | "others" | "none" => {
      const [first] = read.get(hosts, key);
      return first === undefined ? "none" : first === "*" ? "*" : "others";
    },
  );
  return resourceTable(graph, "rds.gateway.skeleton", gatewayTableKeys, (read, key) => {
    const port = followPort(read, context, key.scope, key.table);
    if (port === undefined) return [];
    const inside = read.within(gatewayRouteName(port));
    const first = read.get(firstHosts, key);
    const inline = first === "*" ? inside.follow(virtualHosts, { host: "*", of: key }) : [];
    return [routeTable(port, inline, first === "none", { virtualHostsApart: true })];
  });
}

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
    return partsOf(name, host, read.mapped(inTable(name)).follow(virtualHosts, key));
  });
}

/** @param empty true for a table without hosts: all requests get 404 */
function routeTable(
  port: GatewayPort,
  virtualHosts: readonly Resource[],
  empty: boolean,
  options: { readonly virtualHostsApart?: true } = {},
): Resource {
  const name = gatewayRouteName(port);
  const bytes = empty
    ? [encode(VirtualHostSchema, blackHoleVirtualHost(port.number))]
    : virtualHosts.map((r) => r.bytes);
  const all = { ...options, ignorePortInHostMatching: true };
  return resourceOf(name, routeConfiguration(name, bytes, all));
}
