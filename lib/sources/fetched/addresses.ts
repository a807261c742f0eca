/**
 * The addresses that may be fetched from. A RequestAuthentication decides what the daemon connects to,
 * so that internal addresses are refused unless the operator allows them.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";
import { isIpv6, parseCidr } from "../../text/mod.ts";

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
  "::/128",
  "::1/128",
  // IPv4 addresses embedded in IPv6 ones.
  "64:ff9b::/96",
  "fc00::/7",
  "fe80::/10",
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
    const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
    if (isIP(plain) === 0) return false;
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

/** `::ffff:127.0.0.1` is `127.0.0.1`. */
function unmapped(address: string): string {
  const match = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (match === null) return address;
  const [, dotted, high = "0", low = "0"] = match;
  if (dotted !== undefined) return dotted;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
}
