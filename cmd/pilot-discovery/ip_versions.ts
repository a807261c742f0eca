/**
 * A warning about a cluster with two versions of IP and a daemon that gives proxies one.
 *
 * @module
 */
import { isIpv4 } from "../../lib/kit/text/mod.ts";
import type { Mesh } from "../../lib/mesh/derive/mod.ts";

/** The warning; undefined: no Service of a cluster has addresses of both versions, or proxies use both. */
export function oneVersionOfIp(
  { tables: { serviceEntries } }: Pick<Mesh, "tables">,
  isDualStack: boolean,
): string | undefined {
  if (isDualStack) return undefined;
  const key = serviceEntries.keys().find((one) => {
    const row = serviceEntries.peek(one);
    const addresses = row?.service === undefined ? [] : row.spec.addresses;
    return addresses.some(isIpv4) && addresses.some((address) => address.includes(":"));
  });
  if (key === undefined) return undefined;
  return `Services have addresses of IPv4 and IPv6, such as ${key}, and MESH_DUAL_STACK is not true: proxies with ` +
    "both versions of IP use IPv4 alone; set MESH_DUAL_STACK=true at the daemon";
}
