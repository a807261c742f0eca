/**
 * Which addresses things are fetched from. Whoever may write a RequestAuthentication
 * chooses what this program connects to, so that the addresses that matter inside
 * are closed unless they are opened by name.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";
import { isIpv6, parseCidr } from "../../text/mod.ts";

/** Ranges that are closed: this machine, the link, networks that are not reached from outside. */
const CLOSED = [
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
  // Addresses of IPv4 in other clothes.
  "64:ff9b::/96",
  "fc00::/7",
  "fe80::/10",
  "ff00::/8",
] as const;

/** Whether an address may be connected to. */
export type Admits = (address: string) => boolean;

/**
 * Makes the test of addresses.
 *
 * @param opened ranges, or single addresses, that are open although they lie in closed ones
 */
export function addressFilter(opened: readonly string[] = []): Admits {
  const [closed, open] = [listOf(CLOSED), listOf(opened)];
  return (address) => {
    const plain = unmapped(address);
    const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
    if (isIP(plain) === 0) return false;
    return open.check(plain, family) || !closed.check(plain, family);
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
