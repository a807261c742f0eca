/**
 * Outlier detection in gRPC libraries (gRFC A50). They count the percentage of failed calls, not
 * consecutive failures.
 *
 * @module
 */
import {
  type OutlierDetection as Detection,
  OutlierDetectionSchema,
} from "#envoy/config/cluster/v3/outlier_detection_pb.ts";
import type { OutlierDetection } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Default number of failures of a rule. */
const FAILURES = 5;

/** Enforcing percentage: every detection ejects. */
const ALWAYS = 100;

/**
 * Libraries eject endpoints with a failure percentage above this value: endpoints whose calls all
 * failed.
 */
const ALL_BUT_NONE = 99;

/**
 * An endpoint is ejected if within an interval it had as many calls as the rule's number of
 * consecutive failures, and all of them failed. `undefined`: the rule counts no failures.
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
