/**
 * Hosts that are routed without a service at the port.
 *
 * @module
 */
import type { HostKey } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { isWildcard, mayBeHttp } from "../../model/mod.ts";
import { type Context, findService } from "../context/mod.ts";

/**
 * Reports if a host that VirtualServices name has separate routes for a namespace. A wildcard has
 * none where it stands for services that it covers; see `Scopes.routeHosts`.
 */
export function isRouted(read: Read, { mesh }: Context, { namespace, host }: HostKey): boolean {
  return !isWildcard(host) || [...new Set([namespace, ""])]
    .some((seenBy) => read.get(mesh.scopes.routeHosts, seenBy).includes(host));
}

/** The ports at which a host may have a virtual host, as a namespace sees it. */
export function routedPorts(read: Read, context: Context, key: HostKey): number[] {
  const { namespace, host } = key;
  const service = findService(read, context, namespace, host);
  if (service === undefined) return isRouted(read, context, key) ? [80] : [];
  const ports = service.ports.filter((p) => mayBeHttp(p.protocol)).map((p) => p.number);
  // By a VirtualService a host is routed at port 80, even if its service does not have that port.
  const more = !service.ports.some(({ number }) => number === 80) &&
    read.any(context.mesh.indexes.meshRoutesByHost, host);
  return [...new Set([...ports, ...(more ? [80] : [])])];
}
