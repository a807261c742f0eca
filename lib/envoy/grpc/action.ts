/**
 * What routes do with calls, as far as gRPC libraries can do it.
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
import { type Any, create, durationMs, packAny } from "../../proto/mod.ts";
import { FAULT_FILTER } from "../routes/mod.ts";

/** What a route does, and the one setting of a filter that it may carry. */
export interface GrpcOutcome {
  readonly action: Route["action"];
  readonly fault?: Any | undefined;
}

/**
 * Keeps of a route's action what libraries know: clusters and their shares, the time limit, retries,
 * hashing. An answer without a service becomes a fault that always strikes, for libraries refuse
 * routes that answer by themselves.
 *
 * @param own the cluster that calls reach without any route
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

/** HTTP's status of calls that no route leads anywhere. */
const UNAVAILABLE = 503;

const REDIRECTS: Readonly<Record<RedirectCode, number>> = {
  [RedirectCode.MOVED_PERMANENTLY]: 301,
  [RedirectCode.FOUND]: 302,
  [RedirectCode.SEE_OTHER]: 303,
  [RedirectCode.TEMPORARY_REDIRECT]: 307,
  [RedirectCode.PERMANENT_REDIRECT]: 308,
};

/** Fails every call with the gRPC status that stands for one of HTTP (gRFC A33). */
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
    // Of a route's limits libraries look at this one alone; none leaves the program's own deadline.
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

/** Conditions of retries that libraries know (gRFC A44). */
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

/** By this key a hash is of the channel itself (gRFC A42). */
const CHANNEL = "io.grpc.channel_id";

/** Calls of one program have one address, and one channel comes nearest to it. */
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
