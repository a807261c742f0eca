/**
 * How a call ends: gRPC's status codes, and the error that carries one.
 *
 * @module
 */

import type { H2Code, Headers } from "./h2/mod.ts";

/** The status codes of gRPC, by their names; numbers as on the wire. */
export const RPC = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Name of a status code. */
export type RpcStatus = keyof typeof RPC;

const NAMES = new Map<number, RpcStatus>(
  Object.entries(RPC).map(([name, code]) => [code, name as RpcStatus]),
);

/** The name of a code from the wire; `UNKNOWN` for numbers that mean nothing. */
export function statusName(code: number): RpcStatus {
  return NAMES.get(code) ?? "UNKNOWN";
}

/** A call that ended, or is to end, with a status other than OK. A handler throws it; a client's message stream fails with it. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly status: RpcStatus;
  /** The sentence that goes over the wire; never holds anything secret. */
  readonly details: string;

  constructor(status: RpcStatus, details: string, options: { cause?: unknown } = {}) {
    super(
      `${status}: ${details}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.status = status;
    this.details = details;
  }

  /** The code as a number. */
  get code(): number {
    return RPC[this.status];
  }
}

/** Makes an `RpcError` of whatever a call failed with. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const { code, details } = error as { code?: unknown; details?: unknown };
  if (typeof code === "number") {
    return new RpcError(statusName(code), typeof details === "string" ? details : "", {
      cause: error,
    });
  }
  return new RpcError("INTERNAL", "the handler of this call failed", { cause: error });
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

/** HTTP statuses that stand for a gRPC status; see gRPC's mapping. */
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
