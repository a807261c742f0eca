/**
 * Virtual hosts of gateways: the VirtualServices that are served under a host, joined.
 *
 * @module
 */
import {
  type Route,
  RouteSchema,
  VirtualHost_TlsRequirementType as TlsRequirement,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { fromObject, type GatewayPort, type GatewayServer, servedHosts } from "../../derive/mod.ts";
import {
  hostPort,
  joinRoutes,
  type RouteSource,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { isConverted } from "../../gateway_api/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { coveringPatterns, fullHost, objectKey } from "../../model/mod.ts";
import { destinationResolver, routeDefaults, silent } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { encodeInParts } from "../resources/mod.ts";
import { boundRoutes } from "./bound_routes.ts";

/** A VirtualService that is served under a host, and the Gateways that serve the host. */
interface Claim {
  /** `namespace/name`. */
  readonly route: string;
  readonly gateways: readonly string[];
}

/** The VirtualServices that are served under a host. */
export interface HostClaims {
  /** In the order of the Gateways, then oldest first; each VirtualService once. */
  readonly claims: readonly Claim[];
  /** True if clients are redirected to HTTPS. */
  readonly redirect: boolean;
  /** True: requests are for another server of the port, with TLS of its own. */
  readonly misdirected?: true;
}

/** The claims of a host that no VirtualService names. */
export const UNCLAIMED: HostClaims = { claims: [], redirect: false };

/** Status of requests that came over a connection with the TLS of another server. */
const MISDIRECTED = 421;

/**
 * The hosts that a server with TLS must refuse, because other servers of the Gateway API at its port have
 * them and a client may reuse its connection for one: those within its own hosts, and `*` for all else. So
 * the hosts of many servers are not repeated for each of them.
 */
export function refusedHosts(port: GatewayPort, server: GatewayServer): readonly string[] {
  const own = new Set(server.hosts.map(({ host }) => host));
  const others = port.servers.filter((other) => other !== server)
    .flatMap(({ hosts }) => hosts.filter(({ exclusive }) => exclusive))
    .map(({ host }) => host).filter((host) => !own.has(host));
  if (others.length === 0) return [];
  const isWithin = (host: string) => coveringPatterns(host).some((pattern) => own.has(pattern));
  const within = others.filter(isWithin);
  return [...new Set([...within, ...within.length < others.length ? ["*"] : []])];
}

/**
 * The claims of a port, by host, in the order of the Gateways, and of one Gateway the oldest first.
 * Hosts that redirect to HTTPS need no VirtualService, and
 * requests for a host of a listener of the Gateway API are not for a more general one.
 *
 * @param refused hosts of other servers of the port, see `refusedHosts`
 */
export function claimsOf(
  read: Read,
  context: Context,
  namespace: string,
  { port, refused }: {
    readonly port: GatewayPort | undefined;
    readonly refused: readonly string[];
  },
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
  const accepted = Map.groupBy(port.hosts, ({ gateway }) => gateway);
  const routes = boundRoutes(read, context, namespace, port).map(({ row, gateways }) => {
    const owner = row.meta.namespace;
    const named = row.spec.hosts.map((h) => fullHost(h, owner, context.mesh.domain));
    return { route: objectKey(row.meta), gateways, owner, named };
  });
  const ofGateway = new Map<string, typeof routes>();
  for (const route of routes) {
    for (const gateway of route.gateways) {
      const others = ofGateway.get(gateway);
      if (others === undefined) ofGateway.set(gateway, [route]);
      else others.push(route);
    }
  }
  for (const gateway of port.gateways) {
    const hosts = accepted.get(gateway) ?? [];
    for (const { route, named, owner } of ofGateway.get(gateway) ?? []) {
      for (const [host, redirect] of servedHosts(hosts, named, owner)) {
        add(host, [{ route, gateways: [gateway] }], redirect);
      }
    }
  }
  for (const { host, redirect, exclusive } of port.hosts) {
    if (redirect || (exclusive && host !== "*")) add(host, [], redirect);
  }
  for (const [host, found] of byHost) byHost.set(host, { ...found, claims: joined(found.claims) });
  for (const host of refused) {
    if (!byHost.has(host)) byHost.set(host, { ...UNCLAIMED, misdirected: true });
  }
  return byHost;
}

/** Joins the claims of one VirtualService by several Gateways, at the place of the first. */
function joined(claims: readonly Claim[]): readonly Claim[] {
  if (claims.length < 2) return claims;
  const byRoute = Map.groupBy(claims, ({ route }) => route);
  return [...byRoute].map(([route, own]) => ({
    route,
    gateways: own.flatMap(({ gateways }) => gateways),
  }));
}

/** A host at a gateway's port. */
interface ServedHost {
  readonly source: RouteSource;
  readonly port: GatewayPort;
  readonly host: string;
}

/** The virtual host of a host, with the routes of all VirtualServices that claim it. */
export function gatewayVirtualHost(
  read: Read,
  context: Context,
  served: ServedHost,
  { claims, redirect, misdirected }: HostClaims,
): Resource {
  const { host, port } = served;
  if (misdirected) return refusal(read, served);
  const found = claims.map((claim) => claimedRoutes(silent(read), context, served, claim));
  if (read.decide !== undefined) explainClaims(read, context, { served, claims, found });
  const { hideAttempts } = context.settings(read, "routes");
  const options = { host, port: port.number, gateway: true, hideAttempts };
  const message = virtualHostFor(options, joinRoutes(found));
  if (redirect) message.requireTls = TlsRequirement.ALL;
  return encodeInParts(read, message.name, VirtualHostSchema, message);
}

/** The virtual host of a host of another server. */
function refusal(read: Read, { host, port }: ServedHost): Resource {
  const options = { host, port: port.number, gateway: true };
  const message = virtualHostFor(options, [create(RouteSchema, {
    match: { pathSpecifier: { case: "prefix", value: "/" } },
    action: { case: "directResponse", value: { status: MISDIRECTED } },
  })]);
  return encodeInParts(read, message.name, VirtualHostSchema, message);
}

/** The routes of one VirtualService. */
function claimedRoutes(
  read: Read,
  context: Context,
  { source, port }: ServedHost,
  { route, gateways }: Claim,
): Route[] {
  const { mesh } = context;
  const row = read.get(mesh.tables.virtualServices, route);
  const spec = read.follow(mesh.routes.spec, route);
  if (row === undefined || spec === undefined) return [];
  read.decide?.({ group: "routes", ...fromObject(row, "spec.hosts"), value: gateways.join(", ") });
  return translateHttpRoutes(spec, {
    gateways,
    port: port.number,
    tls: port.family === "tls",
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    elements: isConverted(row.meta),
    source,
    mesh: routeDefaults(read, context),
    resolve: destinationResolver(read, context, { namespace: source.namespace }, port.number),
    decisions: read,
    parts: read,
  });
}

/** Records the decisions about the routes, at the places that the routes have in the virtual host. */
function explainClaims(
  read: Read,
  context: Context,
  { served, claims, found }: {
    readonly served: ServedHost;
    readonly claims: readonly Claim[];
    /** The routes of each claim. */
    readonly found: readonly (readonly Route[])[];
  },
): void {
  const inside = read.within(hostPort(served.host, served.port.number));
  const order = joinRoutes(found);
  for (const [i, claim] of claims.entries()) {
    const placed = inside.mapped(routesAt((at) => order.indexOf(found[i]![at]!)));
    claimedRoutes(placed, context, served, claim);
  }
}

/** Renames routes in decisions by the index that a route of one VirtualService has among all. */
function routesAt(place: (at: number) => number): (decision: RecordedDecision) => RecordedDecision {
  return ({ of = [], ...decision }) => {
    const [first = "", ...rest] = of;
    const at = /^routes\[(\d+)\]$/.exec(first)?.[1];
    return {
      ...decision,
      of: at === undefined ? of : [`routes[${place(Number(at))}]`, ...rest],
    };
  };
}
