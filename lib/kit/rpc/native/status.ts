/**
 * Statuses as HTTP/2 carries them: headers, trailers, reset codes.
 *
 * @module
 */
import type { H2Code, Headers } from "../h2/mod.ts";
import { RpcError, type RpcStatus, statusName } from "../status.ts";

/** The response headers of a call. */
export const RESPONSE: Headers = [[":status", "200"], ["content-type", "application/grpc"]];

/** The headers of a response that consists of its status. */
export function responseHeaders(error: RpcError | undefined): Headers {
  return [...RESPONSE, ...statusHeaders(error)];
}

/** Codes of streams that were reset, as gRPC maps them. */
const RESETS: Readonly<Partial<Record<H2Code | "LOST", RpcStatus>>> = {
  LOST: "UNAVAILABLE",
  REFUSED_STREAM: "UNAVAILABLE",
  CANCEL: "CANCELLED",
  ENHANCE_YOUR_CALM: "RESOURCE_EXHAUSTED",
  INADEQUATE_SECURITY: "PERMISSION_DENIED",
};

/** The error of a stream that ended before its time. */
export function abortedError(code: H2Code | "LOST", cause?: Error): RpcError {
  const details = code === "LOST"
    ? cause ? `the connection is lost: ${cause.message}` : "the connection is lost"
    : `the stream was reset: ${code}`;
  return new RpcError(RESETS[code] ?? "INTERNAL", details, { cause });
}

/** Mapping of HTTP statuses to gRPC statuses; see gRPC's mapping. */
const HTTP: Readonly<Record<string, RpcStatus>> = {
  "400": "INTERNAL",
  "401": "UNAUTHENTICATED",
  "403": "PERMISSION_DENIED",
  "404": "UNIMPLEMENTED",
  "429": "UNAVAILABLE",
  "502": "UNAVAILABLE",
  "503": "UNAVAILABLE",
  "504": "UNAVAILABLE",
};

/** The status that headers tell, response headers or trailers: `undefined` for OK. */
export function statusOf(headers: Headers): RpcError | undefined {
  const all = new Map(headers);
  const code = all.get("grpc-status");
  if (code === undefined) {
    const http = all.get(":status") ?? "";
    const status = HTTP[http] ?? "UNKNOWN";
    return new RpcError(status, http ? `the answer is HTTP ${http}` : "there is no status");
  }
  if (code === "0") return undefined;
  return new RpcError(statusName(Number(code)), decodeMessage(all.get("grpc-message") ?? ""));
}

/** Status and message as headers. */
export function statusHeaders(error: RpcError | undefined): Headers {
  if (!error) return [["grpc-status", "0"]];
  return [["grpc-status", String(error.code)], ["grpc-message", encodeMessage(error.details)]];
}

/** A message in the percent-encoding of gRPC: printable ASCII stays as it is. */
function encodeMessage(message: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(message)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    out += plain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
