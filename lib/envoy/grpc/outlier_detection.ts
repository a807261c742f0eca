/**
 * Outlier detection in gRPC libraries (gRFC A50), which count shares of calls that failed and know
 * nothing of failures in a row.
 *
 * @module
 */
import {
  type OutlierDetection as Detection,
  OutlierDetectionSchema,
} from "#envoy/config/cluster/v3/outlier_detection_pb.ts";
import type { OutlierDetection } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../proto/mod.ts";

/** What a rule that names no count means by one. */
const FAILURES = 5;

/** Detection that is on acts on every finding. */
const ALWAYS = 100;

/** Libraries leave an endpoint out whose share is greater than this: those of which every call failed. */
const ALL_BUT_NONE = 99;

/**
 * An endpoint is left out when within an interval there were as many calls as the rule allows
 * failures in a row, and all of them failed: then so many have failed in a row. `undefined`: the
 * rule looks for no failures.
 */
export function grpcOutlierDetection(outlier: OutlierDetection): Detection | undefined {
  const counts = [outlier.consecutive5xxErrors, outlier.consecutiveGatewayErrors]
    .filter((count) => count !== undefined);
  const failures = counts.length === 0 ? FAILURES : counts.find((count) => count > 0);
  if (failures === undefined) return undefined;
  return create(OutlierDetectionSchema, {
    interval: outlier.interval,
    baseEjectionTime: outlier.baseEjectionTime,
    maxEjectionPercent: outlier.maxEjectionPercent > 0 ? outlier.maxEjectionPercent : undefined,
    enforcingSuccessRate: 0,
    enforcingFailurePercentage: ALWAYS,
    failurePercentageThreshold: ALL_BUT_NONE,
    failurePercentageMinimumHosts: 1,
    failurePercentageRequestVolume: failures,
  });
}
