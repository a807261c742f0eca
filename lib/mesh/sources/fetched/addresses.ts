/**
 * The addresses that may be fetched from. A RequestAuthentication decides what the daemon connects to,
 * so that internal addresses are refused unless the operator allows them.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";
import { canonicalIp, ipBytes, isIpv6, parseCidr } from "../../../kit/text/mod.ts";

/** Internal ranges: this machine, the link, private networks. */
const INTERNAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // IPv4 addresses embedded in IPv6 ones: compatible ones (RFC 4291, with :: and ::1), translated
  // ones (RFC 2765), NAT64 (RFC 6052, RFC 8215), Teredo (RFC 4380) and 6to4 (RFC 3056).
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2001::/32",
  "2002::/16",
  "100::/64",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
] as const;

/** True for an address that may be connected to. */
export type Admits = (address: string) => boolean;

/**
 * Creates the check of addresses.
 *
 * @param allowed internal ranges or addresses that may be connected to
 */
export function addressFilter(allowed: readonly string[] = []): Admits {
  const [internal, exceptions] = [listOf(INTERNAL), listOf(allowed)];
  return (address) => {
    const plain = unmapped(address);
    if (plain === undefined || isIsatap(plain)) return false;
    const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
    return exceptions.check(plain, family) || !internal.check(plain, family);
  };
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of ranges) {
    const range = parseCidr(text) ?? parseCidr(`${text}/${isIpv6(text) ? 128 : 32}`);
    if (range === undefined) continue;
    list.addSubnet(range.address, range.bits, range.family === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/**
 * The address in its shortest form, and an IPv4 address for one that is mapped (`::ffff:127.0.0.1`).
 * `undefined`: it is no address.
 */
function unmapped(address: string): string | undefined {
  const bytes = ipBytes(address);
  if (bytes?.length !== 16) return bytes && address;
  const isMapped = bytes.every((byte, i) => i > 11 || byte === (i > 9 ? 255 : 0));
  return isMapped ? bytes.subarray(12).join(".") : canonicalIp(address);
}

/** True for an address whose lower half has an IPv4 address by ISATAP (RFC 5214, section 6.1). */
function isIsatap(address: string): boolean {
  const bytes = ipBytes(address);
  return bytes?.length === 16 && (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 &&
    bytes[10] === 0x5e && bytes[11] === 0xfe;
}
