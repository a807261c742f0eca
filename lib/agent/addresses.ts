/**
 * The addresses of this workload.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { canonicalIp, isIp, isIpv4, isIpv6 } from "../text/mod.ts";

/** What is known of the addresses. */
export interface Addresses {
  /** The first one stands in the node's id; at least one. */
  readonly ips: readonly string[];
  readonly ipv6Only: boolean;
  /** There are addresses of both families. */
  readonly both: boolean;
}

const FALLBACK = "127.0.0.1";
/** Addresses that no other machine reaches. */
const LOCAL = /^(127\.|169\.254\.|::1$|fe80:)/i;

/**
 * Orders the addresses: the declared one, then those of the interfaces, IPv4 before IPv6. Loopback
 * and link-local addresses of interfaces do not count; without any address, it is 127.0.0.1. A
 * declared loopback address stands alone: the machine is then shared by several workloads, and its
 * own addresses are nobody's.
 *
 * @param declared `INSTANCE_IP`
 * @param found addresses of the network interfaces
 * @throws MeshError `agent-instance-ip` when the declared one is no address
 */
export function addressesOf(declared: string | undefined, found: readonly string[]): Addresses {
  if (declared && !isIp(declared)) {
    throw new MeshError(
      "agent-instance-ip",
      `INSTANCE_IP is ${JSON.stringify(declared)}, which is not an IP address`,
      { remedy: "Set it to the workload's address, or unset it." },
    );
  }
  const usable = declared && LOCAL.test(declared)
    ? []
    : found.filter((ip) => isIp(ip) && !LOCAL.test(ip));
  const ordered = [...usable.filter(isIpv4), ...usable.filter(isIpv6)];
  const ips = [...new Set([...(declared ? [declared] : []), ...ordered].map(canonicalIp))];
  if (ips.length === 0) ips.push(FALLBACK);
  return { ips, ipv6Only: !ips.some(isIpv4), both: ips.some(isIpv4) && ips.some(isIpv6) };
}

/** Addresses of this machine's interfaces, in the system's order. */
export function interfaceAddresses(): string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}
