/**
 * The VirtualServices that are served under each host of a gateway's port, in the order in which their
 * rules are joined.
 *
 * @module
 */
import { type GatewayPort, type GatewayServer, servedHosts } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { coveringPatterns, fullHost, objectKey } from "../../model/mod.ts";
import { boundRoutes } from "./bound_routes.ts";
import type { Context } from "./features.ts";

/** A VirtualService that is served under a host, and the Gateways that serve the host. */
export interface Claim {
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
