/**
 * Deprecated fields.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Analyzer } from "../analyzer.ts";
import type { Finding } from "../message.ts";

/** Fields that another one replaces. */
export const DEPRECATED_FIELDS: Analyzer<"DestinationRule" | "VirtualService"> = {
  name: "deprecation.DeprecationAnalyzer",
  kinds: ["DestinationRule", "VirtualService"],
  codes: ["MSH0002"],
  analyze: (_context, { meta, spec }) =>
    meta.kind === "VirtualService"
      ? inRoutes(spec as VirtualService)
      : inRule(spec as DestinationRule),
};

function* inRoutes({ http }: VirtualService): Iterable<Finding> {
  for (const [at, { fault, corsPolicy, mirrorPercent }] of http.entries()) {
    const path = `spec.http[${at}]`;
    if ((fault?.delay?.percent ?? 0) > 0) {
      yield replaced(`${path}.fault.delay.percent`, "percentage");
    }
    if ((corsPolicy?.allowOrigin.length ?? 0) > 0) {
      yield replaced(`${path}.corsPolicy.allowOrigin`, "allowOrigins");
    }
    if (mirrorPercent !== undefined) yield replaced(`${path}.mirrorPercent`, "mirrorPercentage");
  }
}

function* inRule({ trafficPolicy, subsets }: DestinationRule): Iterable<Finding> {
  const policies = [
    { path: "spec.trafficPolicy", policy: trafficPolicy },
    ...subsets.map((one, at) => ({
      path: `spec.subsets[${at}].trafficPolicy`,
      policy: one.trafficPolicy,
    })),
  ];
  for (const { path, policy } of policies) {
    if ((policy?.outlierDetection?.consecutiveErrors ?? 0) > 0) {
      yield replaced(`${path}.outlierDetection.consecutiveErrors`, "consecutive5xxErrors");
    }
  }
}

function replaced(path: string, by: string): Finding {
  const field = path.slice(path.lastIndexOf(".") + 1);
  return { code: "MSH0002", args: [`${field} is replaced by ${by}`], path };
}
