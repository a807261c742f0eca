/**
 * Outlier detection: endpoints that keep failing are left out for a while.
 *
 * @module
 */
import { type Cluster, Cluster_CommonLbConfigSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { OutlierDetectionSchema } from "#envoy/config/cluster/v3/outlier_detection_pb.ts";
import type { OutlierDetection } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../proto/mod.ts";
import { positive } from "./http_options.ts";
import type { MeshClusterDefaults } from "./input.ts";

/** Detection that is on acts on every finding. */
const ALWAYS = 100;

/**
 * Sets outlier detection. Detection by success rate, which Envoy turns on by
 * itself, is off: the API does not speak of it. The panic threshold becomes
 * what the rule says, 0 if it says nothing: with few endpoints a service Envoy's
 * 50 % would send traffic to endpoints just left out.
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

/** A count of zero turns a detector off. */
function responses(outlier: OutlierDetection): Part {
  const part: Part = {};
  if (outlier.consecutive5xxErrors !== undefined) {
    part.consecutive5xx = outlier.consecutive5xxErrors;
    // Unset, Envoy always ejects.
    part.enforcingConsecutive5xx = outlier.consecutive5xxErrors > 0 ? undefined : 0;
  }
  if (outlier.consecutiveGatewayErrors !== undefined) {
    part.consecutiveGatewayFailure = outlier.consecutiveGatewayErrors;
    part.enforcingConsecutiveGatewayFailure = outlier.consecutiveGatewayErrors > 0 ? ALWAYS : 0;
  }
  return part;
}

/** Failures to connect, told apart from bad answers. */
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
