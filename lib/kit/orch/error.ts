/**
 * Errors of the orchestrator's API.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** Facts of a failed request. */
export interface OrchFailure {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** `reason` of the server's `Status` object, such as `NotFound`, `Conflict`, `Expired`. */
  readonly reason: string;
  /** Milliseconds after which the server wants the next attempt, if it says so. */
  readonly retryAfterMs?: number;
  /** The single faults of the request, such as fields that another manager owns. */
  readonly causes?: readonly StatusCause[];
}

/** One fault of a request. */
export interface StatusCause {
  /** Such as `FieldManagerConflict`. */
  readonly reason?: string;
  readonly message?: string;
  /** Path of the field, such as `.spec.replicas`. */
  readonly field?: string;
}

/**
 * A request to the API server that failed. Codes: `orch-unreachable` (no answer), `orch-timeout` (no
 * answer in time), `orch-status` (an answer with an error status).
 */
export class OrchError extends MeshError implements OrchFailure {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly StatusCause[];

  constructor(
    code: "orch-unreachable" | "orch-timeout" | "orch-status",
    message: string,
    options: OrchFailure & { readonly remedy?: string; readonly cause?: unknown },
  ) {
    super(code, message, options);
    this.status = options.status;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
    this.causes = options.causes ?? [];
  }
}

/** True if the object or the resource does not exist (404). */
export function isNotFound(error: unknown): boolean {
  return error instanceof OrchError && error.status === 404;
}

/** True if the object exists already, or was changed by somebody else (409). */
export function isConflict(error: unknown): boolean {
  return error instanceof OrchError && error.status === 409;
}

/** True if a resource version or a continue token is too old (410). */
export function isExpired(error: unknown): boolean {
  return error instanceof OrchError && (error.status === 410 || error.reason === "Expired");
}

/** True if there was no answer: the connection failed, or the time was over. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof OrchError && error.status === 0;
}

/** Statuses with a remedy that holds for every request. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: "Check the token or client certificate of the configuration file; it may have expired.",
  403: "Give the identity a role that allows this request.",
};

/** A `Status` object, as the API server answers errors. */
export interface StatusObject {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

/** The error of an answer with an error status. `what` is method and path. */
export function statusError(what: string, answer: StatusAnswer): OrchError {
  const { status, body, retryAfter } = answer;
  const parsed = parseStatus(body);
  const seconds = Number(retryAfter ?? parsed?.details?.retryAfterSeconds ?? NaN);
  const text = parsed?.message ?? (body.slice(0, 200).trim() || "no further message");
  return new OrchError("orch-status", `${what}: ${status}: ${text}`, {
    status,
    reason: parsed?.reason ?? "",
    ...(parsed?.details?.causes === undefined ? {} : { causes: parsed.details.causes }),
    ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
    ...(REMEDIES[status] === undefined ? {} : { remedy: REMEDIES[status] }),
  });
}

/** An answer with an error status. */
export interface StatusAnswer {
  readonly status: number;
  readonly body: string;
  /** Header `retry-after`, in seconds. */
  readonly retryAfter: string | null;
}

function parseStatus(body: string): StatusObject | undefined {
  try {
    const value = JSON.parse(body);
    return typeof value === "object" && value !== null && value.kind === "Status"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
