/**
 * Route configurations, put together from virtual hosts that are encoded already.
 *
 * @module
 */
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { encode } from "../../proto/mod.ts";

/** Settings of a whole route configuration. */
export interface RouteConfigurationOptions {
  /** Match hosts whatever port the authority names. Default: false. */
  readonly ignorePortInHostMatching?: boolean | undefined;
  /** Bound of the bodies of direct responses, bytes. Default: {@linkcode MAX_DIRECT_RESPONSE_BODY}. */
  readonly maxDirectResponseBodyBytes?: number | undefined;
}

/** One MiB; the proxy's own default of 4 KiB refuses the whole configuration for one longer body. */
export const MAX_DIRECT_RESPONSE_BODY: number = 1024 * 1024;

/** Wire tag of `RouteConfiguration.virtual_hosts`: field 2, length-delimited. */
const VIRTUAL_HOSTS_TAG = (2 << 3) | 2;

/**
 * The bytes of a RouteConfiguration. A message on the wire is its fields one after
 * the other in any order, so encoded virtual hosts are copied and not encoded
 * again. Clusters are not checked when it arrives: they may come later.
 */
export function routeConfiguration(
  name: string,
  virtualHosts: readonly Uint8Array[],
  options: RouteConfigurationOptions = {},
): Uint8Array {
  const head = encode(RouteConfigurationSchema, {
    name,
    validateClusters: false,
    maxDirectResponseBodySizeBytes: options.maxDirectResponseBodyBytes ?? MAX_DIRECT_RESPONSE_BODY,
    ignorePortInHostMatching: options.ignorePortInHostMatching ?? false,
  });
  let length = head.length;
  for (const host of virtualHosts) length += 1 + varintLength(host.length) + host.length;
  const bytes = new Uint8Array(length);
  bytes.set(head);
  let at = head.length;
  for (const host of virtualHosts) {
    bytes[at++] = VIRTUAL_HOSTS_TAG;
    at = writeVarint(bytes, at, host.length);
    bytes.set(host, at);
    at += host.length;
  }
  return bytes;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) length++;
  return length;
}

/** Writes a base-128 varint, lowest seven bits first; returns where it ends. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}
