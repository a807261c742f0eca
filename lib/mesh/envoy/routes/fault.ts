/**
 * Fault injection.
 *
 * @module
 */
import {
  type FaultDelay,
  FaultDelaySchema,
} from "#envoy/extensions/filters/common/fault/v3/fault_pb.ts";
import {
  type FaultAbort,
  FaultAbortSchema,
  type HTTPFault,
  HTTPFaultSchema,
} from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import type {
  HTTPFaultInjection,
  HTTPFaultInjection_Abort,
  HTTPFaultInjection_Delay,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create, durationMs } from "../../../kit/proto/mod.ts";
import { GRPC_STATUSES } from "../../schema/mod.ts";
import { finePercent, wholePercent } from "./percent.ts";

/** Name of the filter that a route configures with this. */
export const FAULT_FILTER = "envoy.filters.http.fault";

/**
 * Translates a fault; `undefined` if there is nothing to inject. Without a percentage, no request
 * is delayed or aborted. Envoy has no exponential delays and HTTP/2 errors, so they are omitted.
 */
export function translateFault(fault: HTTPFaultInjection): HTTPFault | undefined {
  const delay = fault.delay === undefined ? undefined : translateDelay(fault.delay);
  const abort = fault.abort === undefined ? undefined : translateAbort(fault.abort);
  if (delay === undefined && abort === undefined) return undefined;
  return create(HTTPFaultSchema, { delay, abort });
}

function translateDelay(delay: HTTPFaultInjection_Delay): FaultDelay | undefined {
  const { httpDelayType: type } = delay;
  if (type.case !== "fixedDelay" || durationMs(type.value) <= 0) return undefined;
  return create(FaultDelaySchema, {
    percentage: delay.percentage === undefined
      ? wholePercent(delay.percent)
      : finePercent(delay.percentage),
    faultDelaySecifier: { case: "fixedDelay", value: type.value },
  });
}

function translateAbort(abort: HTTPFaultInjection_Abort): FaultAbort | undefined {
  const errorType = abortError(abort);
  if (errorType === undefined) return undefined;
  return create(FaultAbortSchema, {
    errorType,
    percentage: abort.percentage === undefined ? wholePercent(0) : finePercent(abort.percentage),
  });
}

function abortError({ errorType }: HTTPFaultInjection_Abort) {
  switch (errorType.case) {
    case "httpStatus":
      return { case: "httpStatus" as const, value: errorType.value };
    case "grpcStatus": {
      const value = GRPC_STATUSES.indexOf(errorType.value);
      return value < 0 ? undefined : { case: "grpcStatus" as const, value };
    }
    default:
      return undefined;
  }
}
