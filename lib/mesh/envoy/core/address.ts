/**
 * Envoy addresses.
 *
 * @module
 */
import {
  type Address,
  AddressSchema,
  type CidrRange,
  CidrRangeSchema,
  SocketAddress_Protocol,
} from "#envoy/config/core/v3/address_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { isIpv4, isIpv6, parseCidr } from "../../../kit/text/mod.ts";

/** Prefix of Unix domain socket addresses in configuration. */
export const UNIX_PREFIX = "unix://";

/** Builds a TCP address; `host` is an IP address, or a host name if Envoy resolves it. */
export function socket(host: string, port: number): Address {
  return create(AddressSchema, {
    address: {
      case: "socketAddress",
      value: { address: host, portSpecifier: { case: "portValue", value: port } },
    },
  });
}

/** Builds the address of `unix:///path` (the port is ignored), otherwise a TCP address. */
export function pipeOrSocket(host: string, port: number): Address {
  if (!host.startsWith(UNIX_PREFIX)) return socket(host, port);
  return create(AddressSchema, {
    address: { case: "pipe", value: { path: host.slice(UNIX_PREFIX.length) } },
  });
}

/** An address for datagrams of UDP. */
export function udpAddress(host: string, port: number): Address {
  const address = pipeOrSocket(host, port);
  if (address.address.case === "socketAddress") {
    address.address.value.protocol = SocketAddress_Protocol.UDP;
  }
  return address;
}

/** Parses `10.0.0.0/8` or a single address as a range; `undefined` for other text. */
export function cidrRange(text: string): CidrRange | undefined {
  const range = parseCidr(text) ?? single(text);
  return range === undefined
    ? undefined
    : create(CidrRangeSchema, { addressPrefix: range.address, prefixLen: range.bits });
}

function single(text: string): { readonly address: string; readonly bits: number } | undefined {
  if (isIpv4(text)) return { address: text, bits: 32 };
  return isIpv6(text) ? { address: text, bits: 128 } : undefined;
}

/**
 * Splits `host:port`; brackets of an IPv6 host are removed. `undefined` without a port from 1 to
 * 65535.
 */
export function splitHostPort(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const colon = text.lastIndexOf(":");
  const port = text.slice(colon + 1);
  if (colon < 0 || !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    return undefined;
  }
  return { host: text.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
