/**
 * Conversion of XBackendTrafficPolicies to parts of the DestinationRule of a Service.
 *
 * @module
 */
import type {
  RetryConstraint,
  XBackendTrafficPolicy,
} from "#mesh/gateway/v1/backend_traffic_policy_pb.ts";
import type { TrafficPolicy_RetryBudgetSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { parseDuration } from "../../../kit/base/mod.ts";
import { durationOf, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { type ApiTraffic, type ConfigObject, objectRef } from "../../model/mod.ts";
import type { BoundBackendTraffic } from "../binding/policies.ts";
import { convertSession } from "./sessions.ts";

/** A policy with its binding. */
export interface BoundTrafficPolicy {
  readonly policy: ConfigObject<XBackendTrafficPolicy>;
  readonly bound: BoundBackendTraffic;
}

/** The settings of a policy for one Service. */
export interface BackendTraffic {
  readonly policy: ConfigObject<XBackendTrafficPolicy>;
  readonly retryBudget?: MessageInitShape<typeof TrafficPolicy_RetryBudgetSchema>;
  readonly facts?: ApiTraffic;
}

/** Percentage and interval of a budget, and rate, that the standard defines. */
const PERCENT = 20;
const INTERVAL = "10s";
const RATE = { count: 10, interval: "1s" };

/** The policy that is in effect on a Service; undefined: none is. */
export function trafficOf(
  service: string,
  policies: readonly BoundTrafficPolicy[],
): BackendTraffic | undefined {
  const found = policies.find(({ bound }) =>
    bound.targets.some(({ ref, fault }) => ref.name === service && fault === undefined)
  );
  if (found === undefined) return undefined;
  const { policy } = found;
  const { retryConstraint, sessionPersistence: session } = policy.spec;
  const object = objectRef(policy);
  return {
    policy,
    ...(retryConstraint === undefined ? {} : { retryBudget: budgetOf(retryConstraint) }),
    ...(session === undefined
      ? {}
      : { facts: { object, session: convertSession(session, object) } }),
  };
}

/**
 * The rate becomes the number of retries that may run at a time: those of one second, because proxies do
 * not count retries by time.
 */
function budgetOf({ budget, minRetryRate = RATE }: Pick<RetryConstraint, "budget"> & {
  readonly minRetryRate?: { readonly count: number; readonly interval: string } | undefined;
}): MessageInitShape<typeof TrafficPolicy_RetryBudgetSchema> {
  const seconds = parseDuration(minRetryRate.interval) / 1000;
  return {
    percent: budget?.percent ?? PERCENT,
    budgetInterval: durationOf(parseDuration(budget?.interval || INTERVAL)),
    minRetryConcurrency: Math.max(1, Math.ceil(minRetryRate.count / seconds)),
  };
}
