/**
 * Retries.
 *
 * @module
 */
import { type RetryPolicy, RetryPolicySchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { PreviousHostsPredicateSchema } from "#envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import { PreviousPrioritiesConfigSchema } from "#envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.ts";
import type { HTTPRetry } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { choose, type DecisionLog, NO_DECISIONS, type Source } from "../../../kit/base/mod.ts";
import { create, type Duration, durationMs, packAny } from "../../../kit/proto/mod.ts";
import type { MeshRouteDefaults } from "./scope.ts";

/** Default number of retries. */
const ATTEMPTS = 2;

/**
 * Failures before the service can have seen the request, and failures that the service or the mesh
 * declares retriable.
 */
const RETRY_ON = "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes";

const STATUS_CODES = "retriable-status-codes";

/** Number of times that an already tried host is skipped before it is used again. */
const HOST_DRAWS = 5n;

/** Number of attempts after which retries use other priorities. */
const PRIORITY_UPDATE_FREQUENCY = 2;

/**
 * Returns the policy of a route: the rule's, otherwise the mesh's, otherwise the built-in one.
 * `undefined` (no retries) if `attempts` is 0.
 *
 * @param hashed the destination uses consistent hashing, so a retry must be allowed to use the same
 * host
 * @param record the log, and the source of the rule's policy
 */
export function retryPolicy(
  rule: HTTPRetry | undefined,
  mesh: MeshRouteDefaults,
  hashed: boolean,
  record?: { readonly log: DecisionLog; readonly rule: Source },
): RetryPolicy | undefined {
  const log = record?.log ?? NO_DECISIONS;
  const policy = choose<HTTPRetry>(log, { group: "retries", show: (p) => p.attempts }, [
    { value: rule, ...record?.rule ?? NOBODY },
    { value: mesh.defaultHttpRetryPolicy, source: "mesh", field: "defaultHttpRetryPolicy" },
  ]);
  if (policy === undefined) {
    log.decide?.({ group: "retries", source: "built-in", value: ATTEMPTS });
  }
  if (policy !== undefined && policy.attempts <= 0) return undefined;
  const otherHosts = policy?.retryIgnorePreviousHosts ?? !hashed;
  const { backoff } = policy ?? {};
  return create(RetryPolicySchema, {
    ...retryOn(policy?.retryOn ?? "", mesh),
    numRetries: policy?.attempts ?? ATTEMPTS,
    perTryTimeout: policy?.perTryTimeout,
    retryHostPredicate: otherHosts ? [previousHosts()] : [],
    hostSelectionRetryMaxAttempts: HOST_DRAWS,
    retryPriority: policy?.retryRemoteLocalities ? previousPriorities() : undefined,
    retryBackOff: backOffOf(backoff),
  });
}

/** Number of retries of an inbound request that was reset before the workload saw it. */
const INBOUND_ATTEMPTS = 2;

/** Resets before the workload can have seen the request. */
const INBOUND_RETRY_ON = "reset-before-request";

/**
 * Returns the policy of inbound requests: the mesh's, otherwise the built-in one. There is only one
 * host, so settings about other hosts are omitted.
 *
 * @param builtIn true: without a mesh policy, requests that the workload cannot have seen are
 * retried
 */
export function inboundRetries(
  policy: HTTPRetry | undefined,
  builtIn: boolean,
): RetryPolicy | undefined {
  if (policy === undefined ? !builtIn : policy.attempts <= 0) return undefined;
  const { attempts = INBOUND_ATTEMPTS, retryOn = "", perTryTimeout, backoff } = policy ?? {};
  return create(RetryPolicySchema, {
    ...conditions(retryOn || INBOUND_RETRY_ON),
    numRetries: attempts,
    perTryTimeout,
    retryBackOff: backOffOf(backoff),
  });
}

/** Envoy rejects a back-off of 0; its default is 25 ms. */
function backOffOf(backoff: HTTPRetry["backoff"]): { baseInterval: Duration } | undefined {
  return backoff !== undefined && durationMs(backoff) > 0 ? { baseInterval: backoff } : undefined;
}

const NOBODY: Source = { source: "object" };

/**
 * Splits conditions and status codes: numbers among the conditions are status codes and enable the
 * condition that uses them.
 */
function retryOn(
  text: string,
  mesh: MeshRouteDefaults,
): { retryOn: string; retriableStatusCodes: number[] } {
  if (text === "") {
    return { retryOn: RETRY_ON, retriableStatusCodes: mesh.excludeUnsafe503 ? [] : [503] };
  }
  return conditions(text);
}

/** Parses the conditions of a rule: numbers are status codes. */
function conditions(text: string): { retryOn: string; retriableStatusCodes: number[] } {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  const isCode = (part: string): boolean => /^[1-5][0-9][0-9]$/.test(part);
  const named = parts.filter((part) => !isCode(part));
  const codes = parts.filter(isCode).map(Number);
  if (codes.length > 0 && !named.includes(STATUS_CODES)) named.push(STATUS_CODES);
  return { retryOn: named.join(","), retriableStatusCodes: codes };
}

function previousHosts() {
  return {
    // Envoy uses the type, and all routes have the same name.
    name: "other",
    configType: {
      case: "typedConfig" as const,
      value: packAny(PreviousHostsPredicateSchema, {}),
    },
  };
}

function previousPriorities() {
  return {
    name: "envoy.retry_priorities.previous_priorities",
    configType: {
      case: "typedConfig" as const,
      value: packAny(PreviousPrioritiesConfigSchema, {
        updateFrequency: PRIORITY_UPDATE_FREQUENCY,
      }),
    },
  };
}
