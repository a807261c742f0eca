/**
 * IP addresses and ranges.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

/** Four decimal parts without leading zeros. */
export function isIpv4(text: string): boolean {
  return ipv4Number(text) !== undefined;
}

/**
 * The number of an IPv4 address; `undefined` for other text. It is read by character, because objects
 * have tens of thousands of addresses and a regular expression takes ten times as long.
 */
function ipv4Number(text: string): number | undefined {
  // From 0.0.0.0 to 255.255.255.255.
  if (text.length < 7 || text.length > 15) return undefined;
  let value = 0;
  let parts = 0;
  let digits = 0;
  let part = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = at === text.length ? DOT : text.charCodeAt(at);
    if (char === DOT) {
      if (digits === 0 || ++parts > 4) return undefined;
      value = value * 256 + part;
      [digits, part] = [0, 0];
    } else {
      const digit = char - ZERO;
      const isLeadingZero = digits > 0 && part === 0;
      if (digit < 0 || digit > 9 || isLeadingZero) return undefined;
      digits++;
      part = part * 10 + digit;
      if (part > 255) return undefined;
    }
  }
  return parts === 4 ? value : undefined;
}

const DOT = 46;
const ZERO = 48;

function formatIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}

/** An IPv6 address without brackets and without a zone. */
export function isIpv6(text: string): boolean {
  return !text.includes("%") && ipaddr.IPv6.isValid(text);
}

/** Either family. */
export function isIp(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

/** An address range. */
export interface Cidr {
  /** Its first address, in shortest form. */
  readonly address: string;
  /** Bits of the prefix. */
  readonly bits: number;
  readonly family: 4 | 6;
}

/** Parses `10.0.0.0/8`; `undefined` if it is not a range. Bits beyond the prefix are cleared. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address, length] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (address === undefined) return undefined;
  const bits = Number(length);
  const number = ipv4Number(address);
  if (number !== undefined) {
    if (bits > 32) return undefined;
    // A shift by 32 is none.
    const first = bits === 0 ? 0 : number & (-1 << (32 - bits));
    return { address: formatIpv4(first), bits, family: 4 };
  }
  if (bits > 128 || !isIpv6(address)) return undefined;
  const first = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`);
  return { address: first.toString(), bits, family: 6 };
}

/** Reports if a text is an address range. */
export function isCidr(text: string): boolean {
  return parseCidr(text) !== undefined;
}

/** Reports if an address is in a range (`10.0.0.0/8`); false for other texts. */
export function rangeContains(range: string, address: string): boolean {
  const cidr = parseCidr(range);
  if (cidr === undefined || !isIp(address) || isIpv4(address) !== (cidr.family === 4)) return false;
  return parseCidr(`${address}/${cidr.bits}`)?.address === cidr.address;
}

/**
 * An address in its shortest form (`2001:db8::1`), so that equal addresses are equal texts. Other
 * text is returned unchanged.
 */
export function canonicalIp(text: string): string {
  return isIpv6(text) ? ipaddr.IPv6.parse(text).toString() : text;
}

/** The bytes of an address: 4 or 16, highest first. `undefined` if the text is no address. */
export function ipBytes(text: string): Uint8Array | undefined {
  return isIp(text) ? Uint8Array.from(ipaddr.parse(text).toByteArray()) : undefined;
}

/** The canonical form of an address that is given in bytes: 4, or 16. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from(
    { length: bytes.length / 2 },
    (_, i) => (bytes[2 * i]! * 256 + bytes[2 * i + 1]!).toString(16),
  );
  return canonicalIp(groups.join(":"));
}
