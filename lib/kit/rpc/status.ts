/**
 * Status of a call: gRPC's status codes, and the error that has one.
 *
 * @module
 */

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
