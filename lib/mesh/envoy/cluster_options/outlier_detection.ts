/**
 * Outlier detection: failing endpoints are ejected for some time.
 *
 * @module
 */
import { type Cluster, Cluster_CommonLbConfigSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { OutlierDetectionSchema } from "#envoy/config/cluster/v3/outlier_detection_pb.ts";
import type { OutlierDetection } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { positive } from "./http_options.ts";
import type { MeshClusterDefaults } from "./input.ts";

/** Enforcing percentage: every detection ejects. */
const ALWAYS = 100;

/**
 * Sets outlier detection. Detection by success rate, which Envoy enables by default, is disabled,
 * because the API has no field for it. The panic threshold is the rule's value, default 0: with
 * Envoy's 50 %, a service with few endpoints would send traffic to ejected endpoints.
 *
 * @param outlier `undefined`: no detection
 */
export function applyOutlierDetection(
  cluster: Cluster,
  outlier: OutlierDetection | undefined,
  mesh: Pick<MeshClusterDefaults, "sendUnhealthyEndpoints">,
): void {
  if (outlier !== undefined) {
    cluster.outlierDetection = create(OutlierDetectionSchema, {
      enforcingSuccessRate: 0,
      interval: outlier.interval,
      baseEjectionTime: outlier.baseEjectionTime,
      maxEjectionPercent: positive(outlier.maxEjectionPercent),
      ...responses(outlier),
      ...localOrigin(outlier),
    });
  }
  const panic = mesh.sendUnhealthyEndpoints ? 0 : outlier?.minHealthPercent;
  if (panic === undefined || panic < 0) return;
  cluster.commonLbConfig ??= create(Cluster_CommonLbConfigSchema);
  cluster.commonLbConfig.healthyPanicThreshold = create(
    Cluster_CommonLbConfigSchema,
    { healthyPanicThreshold: { value: panic } },
  ).healthyPanicThreshold;
}

type Part = Partial<
  Omit<ReturnType<typeof create<typeof OutlierDetectionSchema>>, "$typeName" | "$unknown">
>;

/** A count of zero disables a detector. */
function responses(outlier: OutlierDetection): Part {
  const part: Part = {};
  if (outlier.consecutive5xxErrors !== undefined) {
    part.consecutive5xx = outlier.consecutive5xxErrors;
    // Envoy always ejects if this is unset.
    part.enforcingConsecutive5xx = outlier.consecutive5xxErrors > 0 ? undefined : 0;
  }
  if (outlier.consecutiveGatewayErrors !== undefined) {
    part.consecutiveGatewayFailure = outlier.consecutiveGatewayErrors;
    part.enforcingConsecutiveGatewayFailure = outlier.consecutiveGatewayErrors > 0 ? ALWAYS : 0;
  }
  return part;
}

/** Detection of connect failures, separate from error responses. */
function localOrigin(outlier: OutlierDetection): Part {
  if (!outlier.splitExternalLocalOriginErrors) return {};
  const part: Part = { splitExternalLocalOriginErrors: true, enforcingLocalOriginSuccessRate: 0 };
  const failures = positive(outlier.consecutiveLocalOriginFailures);
  if (failures === undefined) return part;
  return {
    ...part,
    consecutiveLocalOriginFailure: failures,
    enforcingConsecutiveLocalOriginFailure: ALWAYS,
  };
}
