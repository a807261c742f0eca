/**
 * The address families of a proxy's own listeners and of the names that it resolves.
 *
 * @module
 */
import { isIpv6 } from "../../kit/text/mod.ts";
import type { Addresses } from "./addresses.ts";

/** The families that a proxy uses. */
export interface Families {
  /** The family of listeners and of loopback. */
  readonly first: 4 | 6;
  /** True: listeners use the other family too. */
  readonly both: boolean;
}

/**
 * The families of a workload. The first address decides where both are used; a workload of both
 * families whose mesh uses one has IPv4.
 *
 * @param dualStack `MESH_DUAL_STACK`
 */
export function familiesOf({ ips, ipv6Only, both }: Addresses, dualStack: boolean): Families {
  const uses = dualStack && both;
  return { first: ipv6Only || (uses && isIpv6(ips[0] ?? "")) ? 6 : 4, both: uses };
}

/** The loopback address of a family. */
export function loopbackOf(family: 4 | 6): string {
  return family === 6 ? "::1" : "127.0.0.1";
}

/** The address of all interfaces. */
function anyOf(family: 4 | 6): string {
  return family === 6 ? "::" : "0.0.0.0";
}

/**
 * The addresses of a listener: the first names it, others are additional.
 *
 * @param local true: other machines do not reach it
 */
export function listenerAddresses(
  { first, both }: Families,
  local: boolean,
): readonly [first: string, ...more: string[]] {
  const addressOf = local ? loopbackOf : anyOf;
  return both ? [addressOf(first), addressOf(first === 6 ? 4 : 6)] : [addressOf(first)];
}

/** The families in which a name or an address is resolved, as Envoy calls them. */
export function lookupFamily({ first, both }: Families, host: string): string {
  // An address is of its own family, whatever the workload has.
  if (/^[\d.]+$/.test(host)) return "V4_ONLY";
  if (both && !isIpv6(host)) return "ALL";
  return isIpv6(host) || first === 6 ? "V6_ONLY" : "V4_ONLY";
}
