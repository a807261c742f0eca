/**
 * The VirtualServices that are served under each host of a gateway's port, in the order in which their
 * rules are joined.
 *
 * @module
 */
import {
  type GatewayHost,
  type GatewayPort,
  gatewayRoutesOfHost,
  type GatewayServer,
  hostsOfGateway,
  servedHosts,
} from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  coveringPatterns,
  gatewayKey,
  objectKey,
} from "../../model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
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

/** The hosts of a route table's Gateways. */
export interface AcceptedHosts {
  /** Keys of the Gateways → their place in the order of the port. */
  readonly places: ReadonlyMap<string, number>;
  readonly byHost: ReadonlyMap<string, readonly GatewayHost[]>;
  /** Hosts of other servers of the port, see {@link refusedHosts}. */
  readonly refused: ReadonlySet<string>;
}

/** The hosts of a port, or of a port with one server. */
export function acceptedHosts(port: GatewayPort, refused: readonly string[]): AcceptedHosts {
  return {
    places: new Map(port.gateways.map((gateway, i) => [gateway, i])),
    byHost: Map.groupBy(port.hosts, ({ host }) => host),
    refused: new Set(refused),
  };
}

/**
 * The hosts of a route table, sorted. Hosts that redirect to HTTPS need no VirtualService, and requests
 * for a host of a listener of the Gateway API are not for a more general one.
 */
export function hostsOfTable(
  read: Read,
  { mesh }: Context,
  namespace: string,
  { byHost, refused }: AcceptedHosts,
): string[] {
  const all = [...byHost.values()].flat();
  const found = new Set(refused);
  for (const one of all) if (isServedAnyway(one)) found.add(one.host);
  for (const [gateway, hosts] of Map.groupBy(all, (one) => one.gateway)) {
    for (const [owner, accepted] of Map.groupBy(hosts, (one) => one.namespace)) {
      const named = hostsOfGateway(read, mesh, namespace, { gateway, owner });
      for (const [host] of servedHosts(accepted, named, owner)) found.add(host);
    }
  }
  return [...found].sort();
}

/** Reports if a Gateway's host is served without a VirtualService. */
function isServedAnyway({ host, redirect, exclusive }: GatewayHost): boolean {
  return redirect || (exclusive && host !== "*");
}

/**
 * The claims of a host of a route table. A VirtualService claims the host if it names it, or names a
 * pattern that covers it while a Gateway has the host itself.
 */
export function claimsOfHost(
  read: Read,
  { mesh }: Context,
  { namespace, host }: { readonly namespace: string; readonly host: string },
  { places, byHost, refused }: AcceptedHosts,
): HostClaims {
  const own = byHost.get(host) ?? [];
  const patterns = [host, ...coveringPatterns(host)];
  const covering = patterns.flatMap((pattern) => byHost.get(pattern) ?? []);
  const accepted = Map.groupBy(covering, ({ gateway }) => gateway);
  const rows = new Map<string, Map<string, ConfigObject<VirtualService>>>();
  let redirect = own.some((one) => one.redirect);
  for (const named of own.length === 0 ? [host] : patterns) {
    for (const row of gatewayRoutesOfHost(read, mesh, { namespace, host: named })) {
      const owner = row.meta.namespace;
      for (const gateway of row.spec.gateways.map((name) => gatewayKey(name, owner))) {
        const served = servedHosts(accepted.get(gateway) ?? [], [named], owner)
          .find(([meeting]) => meeting === host);
        if (served === undefined) continue;
        redirect ||= served[1];
        const others = rows.get(gateway);
        if (others === undefined) rows.set(gateway, new Map([[objectKey(row.meta), row]]));
        else others.set(objectKey(row.meta), row);
      }
    }
  }
  const claims = [...rows].sort(([a], [b]) => places.get(a)! - places.get(b)!)
    .flatMap(([gateway, claiming]) =>
      [...claiming.values()].sort(byAge)
        .map((row) => ({ route: objectKey(row.meta), gateways: [gateway] }))
    );
  const misdirected = claims.length === 0 && refused.has(host) && !own.some(isServedAnyway);
  return misdirected
    ? { claims, redirect: false, misdirected }
    : { claims: joined(claims), redirect };
}

/** Joins the claims of one VirtualService by several Gateways, at the place of the first. */
function joined(claims: readonly Claim[]): readonly Claim[] {
  const byRoute = Map.groupBy(claims, ({ route }) => route);
  return [...byRoute].map(([route, own]) => ({
    route,
    gateways: own.flatMap(({ gateways }) => gateways),
  }));
}
