/**
 * Route actions that gRPC libraries support.
 *
 * @module
 */
import {
  RedirectAction_RedirectResponseCode as RedirectCode,
  type RetryPolicy,
  RetryPolicySchema,
  type Route,
  type RouteAction,
  type RouteAction_HashPolicy,
  RouteAction_HashPolicySchema,
  RouteActionSchema,
  WeightedCluster_ClusterWeightSchema,
  WeightedClusterSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  FaultAbortSchema,
  HTTPFaultSchema,
} from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { FractionalPercent_DenominatorType as Denominator } from "#envoy/type/v3/percent_pb.ts";
import { type Any, create, durationMs, packAny } from "../../../kit/proto/mod.ts";
import { FAULT_FILTER } from "../routes/mod.ts";

/** The action of a route, and its one per-filter setting. */
export interface GrpcOutcome {
  readonly action: Route["action"];
  readonly fault?: Any | undefined;
}

/**
 * Keeps the parts of a route's action that libraries support: weighted clusters, the timeout,
 * retries, hashing. A direct response becomes a fault with 100 %, because libraries reject routes
 * with direct responses.
 *
 * @param own the cluster of calls without any route
 */
export function grpcOutcome({ action, typedPerFilterConfig }: Route, own: string): GrpcOutcome {
  switch (action.case) {
    case "route":
      return {
        action: { case: "route", value: forwarding(action.value) },
        fault: typedPerFilterConfig[FAULT_FILTER],
      };
    case "directResponse":
      return answering(action.value.status, own);
    case "redirect":
      return answering(REDIRECTS[action.value.responseCode], own);
    default:
      return answering(UNAVAILABLE, own);
  }
}

/** HTTP status of calls that no route matches. */
const UNAVAILABLE = 503;

const REDIRECTS: Readonly<Record<RedirectCode, number>> = {
  [RedirectCode.MOVED_PERMANENTLY]: 301,
  [RedirectCode.FOUND]: 302,
  [RedirectCode.SEE_OTHER]: 303,
  [RedirectCode.TEMPORARY_REDIRECT]: 307,
  [RedirectCode.PERMANENT_REDIRECT]: 308,
};

/** Aborts every call with the gRPC status for an HTTP status (gRFC A33). */
function answering(status: number, own: string): GrpcOutcome {
  const abort = create(FaultAbortSchema, {
    errorType: { case: "httpStatus", value: status },
    percentage: { numerator: 100, denominator: Denominator.HUNDRED },
  });
  const value = create(RouteActionSchema, { clusterSpecifier: { case: "cluster", value: own } });
  return { action: { case: "route", value }, fault: packAny(HTTPFaultSchema, { abort }) };
}

function forwarding(action: RouteAction): RouteAction {
  const { timeout } = action;
  return create(RouteActionSchema, {
    clusterSpecifier: clusters(action.clusterSpecifier),
    // Libraries use only this timeout of a route; without it the program's own deadline applies.
    maxStreamDuration: timeout !== undefined && durationMs(timeout) > 0
      ? { maxStreamDuration: timeout }
      : undefined,
    retryPolicy: action.retryPolicy && retries(action.retryPolicy),
    hashPolicy: action.hashPolicy.flatMap(hashing),
  });
}

function clusters(specifier: RouteAction["clusterSpecifier"]): RouteAction["clusterSpecifier"] {
  if (specifier.case !== "weightedClusters") return specifier;
  const shares = specifier.value.clusters.map(({ name, weight }) =>
    create(WeightedCluster_ClusterWeightSchema, { name, weight })
  );
  return {
    case: "weightedClusters",
    value: create(WeightedClusterSchema, { clusters: shares }),
  };
}

/** Retry conditions that libraries support (gRFC A44). */
const CONDITIONS: ReadonlySet<string> = new Set([
  "cancelled",
  "deadline-exceeded",
  "internal",
  "resource-exhausted",
  "unavailable",
]);

function retries({ retryOn, numRetries, retryBackOff }: RetryPolicy): RetryPolicy | undefined {
  const known = retryOn.split(",").filter((condition) => CONDITIONS.has(condition));
  return known.length === 0
    ? undefined
    : create(RetryPolicySchema, { retryOn: known.join(","), numRetries, retryBackOff });
}

/** With this key the hash is that of the channel (gRFC A42). */
const CHANNEL = "io.grpc.channel_id";

/**
 * All calls of a program have the same source address, so a hash of the channel is used instead.
 */
function hashing(
  { policySpecifier: by, terminal }: RouteAction_HashPolicy,
): RouteAction_HashPolicy[] {
  switch (by.case) {
    case "header":
      return [create(RouteAction_HashPolicySchema, { policySpecifier: by, terminal })];
    case "connectionProperties":
      return [create(RouteAction_HashPolicySchema, {
        policySpecifier: { case: "filterState", value: { key: CHANNEL } },
        terminal,
      })];
    default:
      return [];
  }
}
