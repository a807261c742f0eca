/**
 * Listeners and route tables of gateways. A scope is `NS|labels`: the Gateways
 * that select the proxy, with `NS` empty unless they are scoped to namespaces.
 *
 * @module
 */
import {
  fullHost,
  gatewayKey,
  type GatewayPort,
  gatewayPortKey,
  servedHosts,
} from "../derive/mod.ts";
import type { Collection, Derived, Read, Resource } from "../graph/mod.ts";
import { isHttp } from "../model/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { encode } from "../proto/mod.ts";
import { type Context, splitKey } from "./context.ts";
import { managerDefaults, routeDefaults } from "./defaults.ts";
import { gatewayHttpListener, gatewayTcpListener } from "./listener/mod.ts";
import { parseFlavour } from "./flavour.ts";
import { encodeResource, resourceOf, sameResources } from "./resource.ts";
import {
  blackHoleVirtualHost,
  routeConfiguration,
  translateHttpRoutes,
  virtualHostFor,
} from "./route/mod.ts";
import { gatewayTcpChains } from "./tcp_routes.ts";
import { destinationResolver } from "./virtual_hosts.ts";

/** The tables about gateways. A port key is `gatewayPortKey` of a merged port. */
export interface GatewayTables {
  /** scope → port keys. */
  readonly portKeys: Derived<readonly string[]>;
  /** scope → port keys of HTTP ports. */
  readonly httpPortKeys: Derived<readonly string[]>;
  /** `flavour|NS|port key|scope` → the listener. */
  readonly listeners: Derived<readonly Resource[]>;
  /** `NS|port key|scope` → the route table. */
  readonly routes: Derived<readonly Resource[]>;
}

/** Name of the route table of a gateway's HTTP port. */
export function gatewayRouteName(port: GatewayPort): string {
  return port.bind === "" ? `http.${port.number}` : `http.${port.number}.${port.bind}`;
}

/** Creates the tables. */
export function deriveGatewayTables(context: Context): GatewayTables {
  const { mesh } = context;
  const { graph } = mesh;
  const keys = (name: string, wanted: (p: GatewayPort) => boolean): Derived<readonly string[]> =>
    graph.derive<readonly string[]>(
      name,
      (read, scope) => read.get(mesh.gatewayPorts, scope).filter(wanted).map(gatewayPortKey).sort(),
    );
  const claims = graph.derive<ReadonlyMap<string, readonly Claim[]>>(
    "gateway.claims",
    (read, key) => {
      const [namespace = "", portKey = "", scope = ""] = splitKey(key, 3);
      return claimsOf(read, context, namespace, portOf(read, context, scope, portKey));
    },
  );
  const hosts = graph.derive<readonly string[]>(
    "gateway.hosts",
    (read, key) => [...read.get(claims, key).keys()].sort(),
  );
  // One cell a host between the claims of all hosts and its virtual host, so
  // that a change of one VirtualService translates the hosts it claims alone.
  const hostClaims = graph.derive<readonly Claim[]>("gateway.hostClaims", (read, key) => {
    const [host = "", rest = ""] = splitKey(key, 2);
    return read.get(claims, rest).get(host) ?? [];
  });
  const virtualHosts = graph.derive<readonly Resource[]>("gateway.vhost", (read, key) => {
    const [host = "", namespace = "", portKey = "", scope = ""] = splitKey(key, 4);
    const port = portOf(read, context, scope, portKey);
    if (port === undefined) return [];
    return [virtualHost(read, context, namespace, port, host, read.get(hostClaims, key))];
  }, { equal: sameResources });
  const collectionOf = (key: string): Collection =>
    graph.collection(`gateway.vhost/${key}`, () => ({
      members: { listFrom: [hosts, key] },
      resources: virtualHosts,
      keyOf: (host) => `${host}|${key}`,
    }));
  return {
    portKeys: keys("gateway.portKeys", () => true),
    httpPortKeys: keys("gateway.httpPortKeys", (p) => isHttp(p.protocol)),
    listeners: graph.derive<readonly Resource[]>("lds.gateway", (read, key) => {
      const [flavour = "", namespace = "", portKey = "", scope = ""] = splitKey(key, 4);
      const port = portOf(read, context, scope, portKey);
      const listener = port && gatewayListener(read, context, flavour, namespace, port);
      return listener === undefined ? [] : [listener];
    }, { equal: sameResources }),
    routes: graph.derive<readonly Resource[]>("rds.gateway", (read, key) => {
      const [, portKey = "", scope = ""] = splitKey(key, 3);
      const port = portOf(read, context, scope, portKey);
      return port === undefined
        ? []
        : [routeTable(gatewayRouteName(port), port, read.content(collectionOf(key)))];
    }, { equal: sameResources }),
  };
}

function portOf(
  read: Read,
  { mesh }: Context,
  scope: string,
  portKey: string,
): GatewayPort | undefined {
  return read.get(mesh.gatewayPorts, scope).find((p) => gatewayPortKey(p) === portKey);
}

/** A VirtualService that is served under a host, and the Gateway through which. */
interface Claim {
  /** `namespace/name`. */
  readonly route: string;
  readonly gateway: string;
}

/** The VirtualServices served at a port, by host, oldest first. */
function claimsOf(
  read: Read,
  { mesh }: Context,
  namespace: string,
  port: GatewayPort | undefined,
): Map<string, Claim[]> {
  const byHost = new Map<string, Claim[]>();
  if (port === undefined) return byHost;
  const routes = read.get(mesh.routes.gatewayRoutes, `${namespace}|${port.gateways.join(",")}`);
  for (const route of routes) {
    const row = read.get(mesh.tables.virtualServices, route);
    if (row === undefined) continue;
    const owner = row.meta.namespace;
    const bound = new Set(row.spec.gateways.map((g) => gatewayKey(g, owner)));
    const gateway = port.gateways.find((g) => bound.has(g));
    const named = row.spec.hosts.map((h) => fullHost(h, owner, mesh.domain));
    if (gateway === undefined) continue;
    for (const host of servedHosts(port, bound, named, owner)) {
      const claims = byHost.get(host);
      if (claims === undefined) byHost.set(host, [{ route, gateway }]);
      else claims.push({ route, gateway });
    }
  }
  return byHost;
}

/** The virtual host of one name; the routes of several VirtualServices follow each other, the oldest's first. */
function virtualHost(
  read: Read,
  context: Context,
  namespace: string,
  port: GatewayPort,
  host: string,
  claims: readonly Claim[],
): Resource {
  const routes: Route[] = [];
  for (const { route, gateway } of claims) {
    const row = read.get(context.mesh.tables.virtualServices, route);
    if (row === undefined) continue;
    routes.push(...translateHttpRoutes(row.spec, {
      gateway,
      port: port.number,
      vsNamespace: row.meta.namespace,
      vsName: row.meta.name,
      mesh: routeDefaults(read, context),
      resolve: destinationResolver(read, context, namespace, port.number),
    }));
  }
  const message = virtualHostFor({ host, port: port.number, gateway: true }, routes);
  return encodeResource(message.name, VirtualHostSchema, message);
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

function gatewayListener(
  read: Read,
  context: Context,
  flavourText: string,
  namespace: string,
  port: GatewayPort,
): Resource | undefined {
  const flavour = parseFlavour(flavourText);
  const bind = port.bind !== "" ? port.bind : flavour.family === "v4" ? "0.0.0.0" : "::";
  const manager = managerDefaults(read, context, flavour);
  if (isHttp(port.protocol)) {
    const listener = gatewayHttpListener({
      bind,
      port: port.number,
      routeName: gatewayRouteName(port),
      manager,
    });
    return encodeResource(listener.name, ListenerSchema, listener);
  }
  if (port.protocol !== "TCP") return undefined;
  const chains = gatewayTcpChains(read, context, namespace, port);
  if (chains.length === 0) return undefined;
  const listener = gatewayTcpListener({ bind, port: port.number, chains, manager });
  return encodeResource(listener.name, ListenerSchema, listener);
}
