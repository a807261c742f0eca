/**
 * Listeners and route tables of gateways. A scope is `NS|labels`: the Gateways
 * that select the proxy, with `NS` empty unless they are scoped to namespaces.
 *
 * @module
 */
import {
  type Route,
  VirtualHost_TlsRequirementType as TlsRequirement,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  deriveTelling,
  fromObject,
  fullHost,
  type GatewayPort,
  gatewayPortKey,
  gatewayServerKey,
  labelsKeys,
  lookUp,
  onlyServer,
  servedHosts,
  type Tell,
  within,
} from "../../derive/mod.ts";
import {
  blackHoleVirtualHost,
  hostPort,
  routeConfiguration,
  type RouteSource,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import type { Collection, Derived, Read, Resource } from "../../graph/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { encode } from "../../proto/mod.ts";
import type { Context } from "../context/mod.ts";
import { destinationResolver, routeDefaults } from "../destinations/mod.ts";
import { encodeResource, resourceOf, sameResources, splitKey } from "../resources/mod.ts";
import { tellParts } from "../routes/mod.ts";
import { boundRoutes } from "./bound_routes.ts";
import { gatewayListeners, gatewayRouteName } from "./listeners.ts";

/**
 * The tables about gateways. A port key is `gatewayPortKey` of a merged port. A
 * table key is that of an HTTP port, whose servers share a route table, or
 * `PORT KEY#SERVER KEY` for a server that ends its clients' TLS.
 */
export interface GatewayTables {
  /** scope → port keys. */
  readonly portKeys: Derived<readonly string[]>;
  /** scope → keys of route tables. */
  readonly tableKeys: Derived<readonly string[]>;
  /** `flavour|NS|port key|scope` → the listener. */
  readonly listeners: Derived<readonly Resource[]>;
  /** `NS|table key|scope` → the route table. */
  readonly routes: Derived<readonly Resource[]>;
}

/** Creates the tables. */
export function deriveGatewayTables(context: Context): GatewayTables {
  const { mesh } = context;
  const { graph } = mesh;
  const keys = (
    name: string,
    of: (port: GatewayPort) => readonly string[],
  ): Derived<readonly string[]> =>
    graph.derive<readonly string[]>(
      name,
      (read, scope) => read.get(mesh.gatewayPorts, labelsKeys.decode(scope)).flatMap(of).sort(),
    );
  const claims = graph.derive<ReadonlyMap<string, HostClaims>>("gateway.claims", (read, key) => {
    const [namespace = "", tableKey = "", scope = ""] = splitKey(key, 3);
    return claimsOf(read, context, namespace, portOf(read, context, scope, tableKey));
  });
  const hosts = graph.derive<readonly string[]>(
    "gateway.hosts",
    (read, key) => [...read.get(claims, key).keys()].sort(),
  );
  // One cell a host between the claims of all hosts and its virtual host, so
  // that a change of one VirtualService translates the hosts it claims alone.
  const hostClaims = graph.derive<HostClaims>("gateway.hostClaims", (read, key) => {
    const [host = "", rest = ""] = splitKey(key, 2);
    return read.get(claims, rest).get(host) ?? UNCLAIMED;
  });
  const virtualHosts = deriveTelling<readonly Resource[]>(
    graph,
    "gateway.vhost",
    (read, key, tell) => {
      const [host = "", namespace = "", tableKey = "", scope = ""] = splitKey(key, 4);
      const port = portOf(read, context, scope, tableKey);
      if (port === undefined) return [];
      const caller = { namespace, labels: labelsKeys.decode(scope).labels };
      return [virtualHost(read, context, caller, port, host, read.get(hostClaims, key), tell)];
    },
    { equal: sameResources },
  );
  const collectionOf = (key: string): Collection =>
    graph.collection(`gateway.vhost/${key}`, () => ({
      members: { listFrom: [hosts, key] },
      resources: virtualHosts,
      keyOf: (host) => `${host}|${key}`,
    }));
  return {
    portKeys: keys("gateway.portKeys", (port) => [gatewayPortKey(port)]),
    tableKeys: keys("gateway.tableKeys", tableKeysOf),
    listeners: deriveTelling<readonly Resource[]>(graph, "lds.gateway", (read, key, tell) => {
      const [flavour = "", namespace = "", portKey = "", scope = ""] = splitKey(key, 4);
      const port = portOf(read, context, scope, portKey, tell);
      return port === undefined ? [] : gatewayListeners(
        read,
        context,
        flavour,
        {
          role: "router",
          namespace,
          labels: labelsKeys.decode(scope).labels,
        },
        port,
        read.get(mesh.gatewayPorts, labelsKeys.decode(scope)),
        tell,
      );
    }, { equal: sameResources }),
    routes: deriveTelling<readonly Resource[]>(graph, "rds.gateway", (read, key, tell) => {
      const [, tableKey = "", scope = ""] = splitKey(key, 3);
      const port = portOf(read, context, scope, tableKey, tell);
      if (port === undefined) return [];
      const name = gatewayRouteName(port);
      const content = read.content(collectionOf(key));
      const keyOf = (host: string): string => `${host}|${key}`;
      tellParts(read, virtualHosts, content.keys(), keyOf, within(tell, name));
      return [routeTable(name, port, content)];
    }, { equal: sameResources }),
  };
}

function tableKeysOf(port: GatewayPort): string[] {
  const key = gatewayPortKey(port);
  if (port.family === "http") return [key];
  return port.servers.filter(({ kind }) => kind === "https")
    .map((server) => `${key}#${gatewayServerKey(server)}`);
}

/** The port of a port key; with the key of a server behind it, the port of that server alone. */
function portOf(
  read: Read,
  { mesh }: Context,
  scope: string,
  key: string,
  tell?: Tell,
): GatewayPort | undefined {
  const [portKey, serverKey] = key.split("#");
  const ports = lookUp(
    read,
    mesh.gatewayPorts,
    labelsKeys.decode(scope),
    tell && (({ of = [], ...told }) => {
      if (of[0] === portKey) tell(told);
    }),
  );
  const port = ports.find((p) => gatewayPortKey(p) === portKey);
  if (port === undefined || serverKey === undefined) return port;
  const server = port.servers.find((s) => gatewayServerKey(s) === serverKey);
  return server && onlyServer(port, server);
}

/** A VirtualService that is served under a host, and the Gateways through which. */
interface Claim {
  /** `namespace/name`. */
  readonly route: string;
  readonly gateways: readonly string[];
}

/** What is served under a host. */
interface HostClaims {
  /** Oldest first. */
  readonly claims: readonly Claim[];
  /** Whether callers are sent to HTTPS instead. */
  readonly redirect: boolean;
}

const UNCLAIMED: HostClaims = { claims: [], redirect: false };

/** What is served at a port, by host. Hosts that send callers to HTTPS do so without any VirtualService. */
function claimsOf(
  read: Read,
  context: Context,
  namespace: string,
  port: GatewayPort | undefined,
): Map<string, HostClaims> {
  const byHost = new Map<string, HostClaims>();
  if (port === undefined) return byHost;
  const add = (host: string, claims: readonly Claim[], redirect: boolean): void => {
    const known = byHost.get(host) ?? UNCLAIMED;
    byHost.set(host, {
      claims: [...known.claims, ...claims],
      redirect: known.redirect || redirect,
    });
  };
  for (const { row, gateways, bound } of boundRoutes(read, context, namespace, port)) {
    const owner = row.meta.namespace;
    const named = row.spec.hosts.map((h) => fullHost(h, owner, context.mesh.domain));
    for (const [host, redirect] of servedHosts(port, bound, named, owner)) {
      add(host, [{ route: objectKey(row.meta), gateways }], redirect);
    }
  }
  for (const { host, redirect } of port.hosts) if (redirect) add(host, [], true);
  return byHost;
}

/** The virtual host of one name; the routes of several VirtualServices follow each other, the oldest's first. */
function virtualHost(
  read: Read,
  context: Context,
  source: RouteSource,
  port: GatewayPort,
  host: string,
  { claims, redirect }: HostClaims,
  tell: Tell | undefined,
): Resource {
  const routes: Route[] = [];
  const inside = within(tell, hostPort(host, port.number));
  for (const { route, gateways } of claims) {
    const row = read.get(context.mesh.tables.virtualServices, route);
    const spec = lookUp(read, context.mesh.routes.spec, route, inside);
    if (row === undefined || spec === undefined) continue;
    inside?.({ group: "routes", ...fromObject(row, "spec.hosts"), value: gateways.join(", ") });
    routes.push(...translateHttpRoutes(spec, {
      gateways,
      port: port.number,
      tls: port.family === "tls",
      vsNamespace: row.meta.namespace,
      vsName: row.meta.name,
      source,
      mesh: routeDefaults(read, context),
      resolve: destinationResolver(read, context, source.namespace, port.number),
      tell: laterRoutes(inside, routes.length),
    }));
  }
  const { hideAttempts } = context.settings(read, "routes");
  const options = { host, port: port.number, gateway: true, hideAttempts };
  const message = virtualHostFor(options, routes);
  if (redirect) message.requireTls = TlsRequirement.ALL;
  return encodeResource(message.name, VirtualHostSchema, message);
}

/** Counts the routes of one VirtualService on from those of others. */
function laterRoutes(tell: Tell | undefined, from: number): Tell | undefined {
  if (tell === undefined || from === 0) return tell;
  return ({ of = [], ...told }) => {
    const [first = "", ...rest] = of;
    const at = /^routes\[(\d+)\]$/.exec(first)?.[1];
    tell({ ...told, of: at === undefined ? of : [`routes[${Number(at) + from}]`, ...rest] });
  };
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
