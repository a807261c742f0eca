/**
 * The VirtualServices that are served under each host of a gateway's port, in the order in which their
 * rules are joined.
 *
 * @module
 */
import { type GatewayPort, type GatewayServer, servedHosts } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  type ConfigObject,
  coveringPatterns,
  fullHost,
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

/** The facts of a VirtualService that need no other object. */
interface RouteFacts {
  /** `namespace/name`. */
  readonly route: string;
  readonly owner: string;
  /** Full names of its hosts. */
  readonly named: readonly string[];
  /** The Gateways that it names. */
  readonly bound: ReadonlySet<string>;
  /** The claims of a host that it alone claims, by Gateway; without and with a redirect. */
  readonly alone: readonly [Map<string, HostClaims>, Map<string, HostClaims>];
}

/** Returns the facts of a VirtualService, the same ones for the same row. */
export type FactsOf = (row: ConfigObject<VirtualService>) => RouteFacts;

/**
 * Creates the function. The facts of thousands of VirtualServices are needed whenever one of them changes,
 * and values that are the same object need no comparison.
 */
export function createFactsOf(domain: string): FactsOf {
  const known = new WeakMap<ConfigObject<VirtualService>, RouteFacts>();
  return (row) => {
    const found = known.get(row);
    if (found !== undefined) return found;
    const owner = row.meta.namespace;
    const facts: RouteFacts = {
      route: objectKey(row.meta),
      owner,
      named: row.spec.hosts.map((host) => fullHost(host, owner, domain)),
      bound: new Set(row.spec.gateways.map((gateway) => gatewayKey(gateway, owner))),
      alone: [new Map(), new Map()],
    };
    known.set(row, facts);
    return facts;
  };
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
  { mesh }: Context,
  { namespace, factsOf }: { readonly namespace: string; readonly factsOf: FactsOf },
  { port, refused }: {
    readonly port: GatewayPort | undefined;
    readonly refused: readonly string[];
  },
): Map<string, HostClaims> {
  const byHost = new Map<string, HostClaims>();
  if (port === undefined) return byHost;
  const add = (host: string, more: HostClaims): void => {
    const before = byHost.get(host);
    byHost.set(host, before === undefined ? more : both(before, more));
  };
  const accepted = Map.groupBy(port.hosts, ({ gateway }) => gateway);
  const ofGateway = new Map<string, RouteFacts[]>();
  for (const key of read.get(mesh.routes.gatewayRoutes, { namespace, gateways: port.gateways })) {
    const row = read.get(mesh.tables.virtualServices, key);
    if (row === undefined) continue;
    const facts = factsOf(row);
    for (const gateway of facts.bound) {
      const others = ofGateway.get(gateway);
      if (others === undefined) ofGateway.set(gateway, [facts]);
      else others.push(facts);
    }
  }
  for (const gateway of port.gateways) {
    const hosts = accepted.get(gateway) ?? [];
    for (const facts of ofGateway.get(gateway) ?? []) {
      for (const [host, redirect] of servedHosts(hosts, facts.named, facts.owner)) {
        add(host, claimOf(facts, gateway, redirect));
      }
    }
  }
  for (const { host, redirect, exclusive } of port.hosts) {
    if (redirect || (exclusive && host !== "*")) add(host, { claims: [], redirect });
  }
  for (const [host, found] of byHost) {
    if (found.claims.length > 1) byHost.set(host, { ...found, claims: joined(found.claims) });
  }
  for (const host of refused) {
    if (!byHost.has(host)) byHost.set(host, { ...UNCLAIMED, misdirected: true });
  }
  return byHost;
}

function claimOf({ route, alone }: RouteFacts, gateway: string, redirect: boolean): HostClaims {
  const known = alone[redirect ? 1 : 0];
  const found = known.get(gateway) ?? { claims: [{ route, gateways: [gateway] }], redirect };
  known.set(gateway, found);
  return found;
}

function both(a: HostClaims, b: HostClaims): HostClaims {
  return { claims: [...a.claims, ...b.claims], redirect: a.redirect || b.redirect };
}

/** Joins the claims of one VirtualService by several Gateways, at the place of the first. */
function joined(claims: readonly Claim[]): readonly Claim[] {
  const byRoute = Map.groupBy(claims, ({ route }) => route);
  return [...byRoute].map(([route, own]) => ({
    route,
    gateways: own.flatMap(({ gateways }) => gateways),
  }));
}
