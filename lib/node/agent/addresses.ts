/**
 * The addresses of this workload.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { canonicalIp, isIp, isIpv4, isIpv6 } from "../../kit/text/mod.ts";

/** The workload's addresses. */
export interface Addresses {
  /** The first one is part of the node's id; at least one. */
  readonly ips: readonly string[];
  readonly ipv6Only: boolean;
  /** True: there are addresses of both families. */
  readonly both: boolean;
  /** True: the workload was declared to be on loopback, so that no other machine reaches it. */
  readonly loopbackOnly: boolean;
}

const FALLBACK = "127.0.0.1";
/** Addresses that other machines cannot reach. */
const LOCAL = /^(127\.|169\.254\.|::1$|fe80:)/i;
const LOOPBACK = /^(127\.|::1$)/;

/**
 * Orders the addresses: the declared one, then those of the interfaces, IPv4 before IPv6. Loopback
 * and link-local addresses of interfaces are ignored; without any address, it is 127.0.0.1. A
 * declared loopback address is the only one: several workloads then share the machine, and the
 * machine's addresses belong to none of them.
 *
 * @param declared `INSTANCE_IP`
 * @param found addresses of the network interfaces
 * @throws MeshError `agent-instance-ip` if the declared address is invalid
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
  return {
    ips,
    ipv6Only: !ips.some(isIpv4),
    both: ips.some(isIpv4) && ips.some(isIpv6),
    loopbackOnly: declared !== undefined && LOOPBACK.test(canonicalIp(declared)),
  };
}

/** Addresses of this machine's interfaces, in the system's order. */
export function interfaceAddresses(): string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}
