/**
 * Virtual hosts that a proxy asks for by one authority.
 *
 * @module
 */
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { create, durationOf } from "../../../kit/proto/mod.ts";

/** The authority of a name `table/authority`, without its port. */
export function authorityOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase().replace(/:\d+$/, "");
}

/**
 * The rank of the domain by which Envoy matches an authority, the lowest first: the exact one, then
 * patterns by their length. `Infinity`: no domain matches.
 */
export function matchedDomain(domains: readonly string[], authority: string): number {
  let rank = Infinity;
  for (const domain of domains) {
    if (domain === authority) return 0;
    const matches = domain.startsWith("*") && domain !== "*" &&
      authority.length >= domain.length && authority.endsWith(domain.slice(1));
    if (matches) rank = Math.min(rank, 1 / domain.length);
  }
  return rank;
}

/**
 * The virtual host for one authority. The connection manager bounds the time for which a request
 * waits for its virtual host; routes have no such bound, so that streams may be idle.
 *
 * @param host is changed
 */
export function askedVirtualHost(host: VirtualHost, name: string): VirtualHost {
  host.name = name;
  host.domains = [authorityOf(name)];
  for (const { action } of host.routes) {
    if (action.case === "route") action.value.idleTimeout ??= durationOf(0);
  }
  return host;
}

/** The answer for an authority that a proxy may not ask for, because it asked for too many. */
export function refusedVirtualHost(name: string, most: number): VirtualHost {
  const text = `This proxy asked for more than ${most} hosts (MESH_ON_DEMAND_NAMES).\n`;
  return create(VirtualHostSchema, {
    name,
    domains: [authorityOf(name)],
    routes: [{
      name: "too-many-hosts",
      match: { pathSpecifier: { case: "prefix", value: "/" } },
      action: {
        case: "directResponse",
        value: { status: 503, body: { specifier: { case: "inlineString", value: text } } },
      },
    }],
  });
}
