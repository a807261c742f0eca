/**
 * Assembles route configurations from encoded virtual hosts.
 *
 * @module
 */
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { encode } from "../../../kit/proto/mod.ts";
import { adsSource } from "../core/mod.ts";

/** Settings of a whole route configuration. */
export interface RouteConfigurationOptions {
  /** Ignores the port of the authority. Default: false. */
  readonly ignorePortInHostMatching?: boolean | undefined;
  /**
   * Maximum size of direct response bodies, bytes. Default: {@linkcode MAX_DIRECT_RESPONSE_BODY}.
   */
  readonly maxDirectResponseBodyBytes?: number | undefined;
  /** More virtual hosts are served as resources (VHDS). Default: false. */
  readonly virtualHostsApart?: boolean | undefined;
}

/**
 * One MiB; with Envoy's default of 4 KiB, one longer body would make Envoy reject the whole
 * configuration.
 */
export const MAX_DIRECT_RESPONSE_BODY: number = 1024 * 1024;

/** Wire tag of `RouteConfiguration.virtual_hosts`: field 2, length-delimited. */
const VIRTUAL_HOSTS_TAG = (2 << 3) | 2;

/**
 * Returns the bytes of a RouteConfiguration. An encoded message is a sequence of fields in any
 * order, so encoded virtual hosts are copied and not encoded again. Envoy does not validate
 * clusters: they may arrive later.
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
    vhds: options.virtualHostsApart === true ? { configSource: adsSource() } : undefined,
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

/** Wire tag of `VirtualHost.name`: field 1, length-delimited. */
const NAME_TAG = (1 << 3) | 2;

const encoder = new TextEncoder();

/**
 * Returns the bytes of a virtual host with another name.
 *
 * @param bytes a virtual host as the codec writes it, with its name first
 */
export function renamedVirtualHost(bytes: Uint8Array, name: string): Uint8Array {
  const text = encoder.encode(name);
  const rest = bytes.subarray(nameEnd(bytes));
  const out = new Uint8Array(1 + varintLength(text.length) + text.length + rest.length);
  out[0] = NAME_TAG;
  const at = writeVarint(out, 1, text.length);
  out.set(text, at);
  out.set(rest, at + text.length);
  return out;
}

/** Returns the offset after the name of a virtual host; 0 for one without a name. */
function nameEnd(bytes: Uint8Array): number {
  if (bytes[0] !== NAME_TAG) return 0;
  let length = 0;
  let at = 1;
  for (let shift = 0;; shift += 7) {
    const byte = bytes[at++]!;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at + length;
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) length++;
  return length;
}

/** Writes a base-128 varint, lowest seven bits first; returns its end offset. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}
