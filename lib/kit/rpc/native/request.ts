/**
 * Requests of gRPC over HTTP/2: metadata, timeouts, and requests that are no gRPC calls.
 *
 * @module
 */
import type { Headers } from "../h2/mod.ts";
import { RpcError } from "../status.ts";

/** A content type of gRPC: the plain one, a sub-type (`+proto`), or one with parameters. */
const GRPC_TYPE = /^application\/grpc(?:$|[+;])/;

/** A header's value; `undefined` when there is none. */
function valueOf(headers: Headers, wanted: string): string | undefined {
  for (const [name, value] of headers) if (name === wanted) return value;
  return undefined;
}

/** The HTTP status for a request that is no gRPC call; `undefined` for one that is. */
export function httpRefusal(headers: Headers): string | undefined {
  if (valueOf(headers, ":method") !== "POST") return "405";
  return GRPC_TYPE.test(valueOf(headers, "content-type") ?? "") ? undefined : "415";
}

/** The path of a request, `/package.Service/Method`. */
export function pathOf(headers: Headers): string {
  return valueOf(headers, ":path") ?? "";
}

/** The metadata of a call, see `RpcCall.metadata`. */
export function metadataOf(headers: Headers): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const [name, value] of headers) {
    if (name.startsWith(":") || name.endsWith("-bin")) continue;
    const before = metadata.get(name);
    metadata.set(name, before === undefined ? value : `${before},${value}`);
  }
  return metadata;
}

/** Milliseconds of the units of a timeout; https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md. */
const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
/** Longest time a timer can hold, ms; 24 days. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * The time that the client gives the call, ms; `undefined` when it gives none, or one that is
 * longer than a timer can hold. Throws `RpcError` INTERNAL for a malformed one, as grpc-go does.
 */
export function timeoutOf(headers: Headers): number | undefined {
  const text = valueOf(headers, "grpc-timeout");
  if (text === undefined) return undefined;
  const parts = /^(\d{1,8})([HMSmun])$/.exec(text);
  if (!parts) throw new RpcError("INTERNAL", "the header grpc-timeout is malformed");
  const ms = Math.ceil(Number(parts[1]) * UNIT_MS[parts[2]!]!);
  return ms <= TIMER_MAX_MS ? ms : undefined;
}
