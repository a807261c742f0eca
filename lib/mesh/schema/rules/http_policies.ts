/**
 * Rules of HTTP route features: retries, faults, CORS, mirrors.
 *
 * @module
 */
import type {
  CorsPolicy,
  HTTPFaultInjection,
  HTTPRetry,
  HTTPRoute,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import { checkDestination } from "./destination.ts";
import { checkHeaderName, checkStringMatch } from "./headers.ts";
import type { Report } from "../problem.ts";
import {
  checkDuration,
  checkNotNegative,
  checkPercent,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "./common.ts";

/** Conditions of the proxy's HTTP and gRPC retry policies. */
const RETRY_CONDITIONS: ReadonlySet<string> = new Set([
  "5xx",
  "gateway-error",
  "reset",
  "reset-before-request",
  "connect-failure",
  "envoy-ratelimited",
  "retriable-4xx",
  "refused-stream",
  "retriable-status-codes",
  "retriable-headers",
  "http3-post-connect-failure",
  "cancelled",
  "deadline-exceeded",
  "internal",
  "resource-exhausted",
  "unavailable",
]);

/** Checks a retry policy. */
export function checkRetries(retries: HTTPRetry | undefined, path: Path, report: Report): void {
  if (retries === undefined) return;
  checkNotNegative(retries.attempts, [...path, "attempts"], report);
  const configured = retries.perTryTimeout !== undefined || retries.retryOn !== "" ||
    retries.retryRemoteLocalities !== undefined || retries.backoff !== undefined;
  if (retries.attempts === 0 && configured) {
    const message = "retries are configured and switched off by attempts: 0";
    report.fail(path, CONFLICT, message, "Set attempts, or remove the other fields.");
  }
  checkDuration(retries.perTryTimeout, [...path, "perTryTimeout"], report);
  checkDuration(retries.backoff, [...path, "backoff"], report);
  for (const condition of retries.retryOn.split(",").map((one) => one.trim())) {
    const status = /^[1-5]\d\d$/.test(condition);
    if (condition === "" || status || RETRY_CONDITIONS.has(condition)) continue;
    const message = `${JSON.stringify(condition)} is not a retry condition`;
    const remedy = `Write a status code or one of: ${[...RETRY_CONDITIONS].join(", ")}.`;
    report.fail([...path, "retryOn"], "unknown-value", message, remedy);
  }
}

/** Names of gRPC status codes; the index is the code. */
export const GRPC_STATUSES: readonly string[] = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** Checks injected delays and aborts. */
export function checkFault(
  fault: HTTPFaultInjection | undefined,
  path: Path,
  report: Report,
): void {
  if (fault === undefined) return;
  if (fault.delay === undefined && fault.abort === undefined) {
    report.fail(path, REQUIRED, "the fault injects nothing", "Give delay or abort.");
  }
  if (fault.delay !== undefined) checkDelay(fault.delay, [...path, "delay"], report);
  if (fault.abort !== undefined) checkAbort(fault.abort, [...path, "abort"], report);
}

function checkDelay(
  delay: NonNullable<HTTPFaultInjection["delay"]>,
  path: Path,
  report: Report,
): void {
  checkPercentage(delay.percentage, path, report);
  checkPercent(delay.percent, [...path, "percent"], report);
  const { httpDelayType: type } = delay;
  if (type.case === "exponentialDelay") {
    const message = "exponentialDelay is not supported";
    report.failKey([...path, "exponentialDelay"], INVALID, message, "Use fixedDelay.");
  } else if (type.case === undefined) {
    report.fail(path, REQUIRED, "the delay has no length", "Give fixedDelay.");
  } else checkDuration(type.value, [...path, "fixedDelay"], report);
}

function checkAbort(
  abort: NonNullable<HTTPFaultInjection["abort"]>,
  path: Path,
  report: Report,
): void {
  checkPercentage(abort.percentage, path, report);
  const { errorType: type } = abort;
  switch (type.case) {
    case "httpStatus":
      checkStatus(type.value, [...path, "httpStatus"], report);
      break;
    case "grpcStatus":
      if (GRPC_STATUSES.includes(type.value)) break;
      report.fail(
        [...path, "grpcStatus"],
        "unknown-value",
        `${JSON.stringify(type.value)} is not a gRPC status`,
        `Write one of: ${[...GRPC_STATUSES].join(", ")}.`,
      );
      break;
    case "http2Error":
      report.failKey(
        [...path, "http2Error"],
        INVALID,
        "http2Error is not supported",
        "Use httpStatus or grpcStatus.",
      );
      break;
    default:
      report.warn(
        path,
        REQUIRED,
        "the abort has no status and is ignored",
        "Give httpStatus or grpcStatus.",
      );
  }
}

function checkPercentage(
  percentage: { readonly value: number } | undefined,
  path: Path,
  report: Report,
): void {
  if (percentage === undefined) return;
  checkPercent(percentage.value, [...path, "percentage", "value"], report);
}

/** Checks the status of a direct response: 200 to 599. */
export function checkStatus(status: number, path: Path, report: Report): void {
  if (status >= 200 && status <= 599) return;
  const message = `${status} is not an HTTP status that can be answered`;
  report.fail(path, "out-of-range", message, "Write 200 to 599.");
}

const METHODS = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "*",
]);

export function checkCors(cors: CorsPolicy | undefined, path: Path, report: Report): void {
  if (cors === undefined) return;
  cors.allowOrigins.forEach((origin, index) => {
    const at = [...path, "allowOrigins", index];
    checkStringMatch(origin, at, report);
    if (origin.matchType.case !== undefined) return;
    report.fail(at, REQUIRED, "the origin is empty", "Give exact, prefix or regex.");
  });
  cors.allowMethods.forEach((method, index) => {
    if (METHODS.has(method)) return;
    const message = `${JSON.stringify(method)} is not an HTTP method`;
    const remedy = `Write one of: ${[...METHODS].join(", ")}.`;
    report.fail([...path, "allowMethods", index], "unknown-value", message, remedy);
  });
  for (const list of ["allowHeaders", "exposeHeaders"] as const) {
    cors[list].forEach((name, index) => checkHeaderName(name, [...path, list, index], report));
  }
  checkDuration(cors.maxAge, [...path, "maxAge"], report);
  if ((cors.maxAge?.nanos ?? 0) === 0) return;
  const message = "maxAge is sent in whole seconds";
  report.fail([...path, "maxAge"], "invalid-duration", message, "Write whole seconds.");
}

/** Checks mirror destinations and percentages. */
export function checkMirrors(route: HTTPRoute, path: Path, report: Report): void {
  if (route.mirror !== undefined) {
    checkDestination(route.mirror, [...path, "mirror"], report);
    if (route.mirrors.length > 0) {
      const message = "mirror and mirrors exclude each other";
      report.failKey([...path, "mirrors"], CONFLICT, message, "Keep mirrors.");
    }
  }
  route.mirrors.forEach((mirror, index) => {
    const at = [...path, "mirrors", index];
    checkDestination(mirror.destination, [...at, "destination"], report);
    checkPercentage(mirror.percentage, at, report);
  });
  if (route.mirrorPercentage !== undefined) {
    checkPercent(route.mirrorPercentage.value, [...path, "mirrorPercentage", "value"], report);
  }
  if (route.mirrorPercent === undefined) return;
  checkPercent(route.mirrorPercent, [...path, "mirrorPercent"], report);
  const message = "mirrorPercent is deprecated";
  report.warn([...path, "mirrorPercent"], "deprecated", message, "Use mirrorPercentage.");
}
