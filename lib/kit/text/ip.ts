/**
 * IP addresses and ranges.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

/** Four decimal parts without leading zeros. */
export function isIpv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
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
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  const address = match?.[1];
  if (address === undefined || !isIp(address)) return undefined;
  const bits = Number(match?.[2]);
  const family = isIpv4(address) ? 4 : 6;
  if (bits > (family === 4 ? 32 : 128)) return undefined;
  const range = `${address}/${bits}`;
  const first = family === 4
    ? ipaddr.IPv4.networkAddressFromCIDR(range)
    : ipaddr.IPv6.networkAddressFromCIDR(range);
  return { address: first.toString(), bits, family };
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
