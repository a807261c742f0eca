/**
 * XBackendTrafficPolicy: names, effective fields, rules.
 *
 * @module
 */
import {
  type RequestRate,
  type RetryConstraint,
  type XBackendTrafficPolicy,
  XBackendTrafficPolicySchema,
} from "#mesh/gateway/v1/backend_traffic_policy_pb.ts";
import type { TabledKind } from "../../kind.ts";
import type { Path } from "../../../../kit/text/mod.ts";
import type { Report } from "../../problem.ts";
import { REQUIRED } from "../../rules/mod.ts";
import { checkApiDuration, checkObjectName, checkSession } from "./common.ts";

/** Highest count of a rate. */
const MOST = 1_000_000;

export const X_BACKEND_TRAFFIC_POLICY: TabledKind<
  "XBackendTrafficPolicy",
  "backendTrafficPolicies",
  XBackendTrafficPolicy
> = {
  kind: "XBackendTrafficPolicy",
  group: "gateway.networking.x-k8s.io",
  scope: "namespaced",
  versions: ["v1alpha1"],
  plural: "xbackendtrafficpolicies",
  table: "backendTrafficPolicies",
  schema: XBackendTrafficPolicySchema,
  effective: { paths: ["targetRefs", "retryConstraint", "sessionPersistence"] },
  validate: ({ targetRefs, retryConstraint, sessionPersistence }, _identity, report) => {
    if (targetRefs.length === 0) {
      report.fail(["spec", "targetRefs"], REQUIRED, "there are no targets", "Name a Service.");
    }
    targetRefs.forEach(({ name }, index) =>
      checkObjectName(name, ["spec", "targetRefs", index, "name"], report)
    );
    if (retryConstraint !== undefined) {
      checkConstraint(retryConstraint, ["spec", "retryConstraint"], report);
    }
    checkSession(sessionPersistence, ["spec", "sessionPersistence"], report);
  },
};

function checkConstraint(
  { budget, minRetryRate }: RetryConstraint,
  path: Path,
  report: Report,
): void {
  if ((budget?.percent ?? 0) > 100) {
    const message = `percent is ${budget?.percent}`;
    report.fail([...path, "budget", "percent"], "out-of-range", message, "Write 0 to 100.");
  }
  checkApiDuration(budget?.interval ?? "", [...path, "budget", "interval"], report);
  if (minRetryRate !== undefined) checkRate(minRetryRate, [...path, "minRetryRate"], report);
}

function checkRate({ count, interval }: RequestRate, path: Path, report: Report): void {
  if (count < 1 || count > MOST) {
    report.fail([...path, "count"], "out-of-range", `count is ${count}`, `Write 1 to ${MOST}.`);
  }
  if (!/[1-9]/.test(interval)) {
    report.fail([...path, "interval"], REQUIRED, "there is no interval", "Write, for example, 1s.");
  } else checkApiDuration(interval, [...path, "interval"], report);
}
