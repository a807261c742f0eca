/**
 * Weighted round robin by the utilization that endpoints report.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_CommonLbConfigSchema,
  type Cluster_SlowStartConfig,
  LoadBalancingPolicySchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClientSideWeightedRoundRobinSchema } from "#envoy/extensions/load_balancing_policies/client_side_weighted_round_robin/v3/client_side_weighted_round_robin_pb.ts";
import { SlowStartConfigSchema } from "#envoy/extensions/load_balancing_policies/common/v3/common_pb.ts";
import { WrrLocalitySchema } from "#envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality_pb.ts";
import type { LoadBalancerSettings_BackendUtilizationLB as Utilization } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { type Any, create, packAny } from "../../../kit/proto/mod.ts";

const PREFIX = "envoy.load_balancing_policies";

/** Reports if the localities of a cluster are weighted. */
export function isWeighed({ commonLbConfig }: Cluster): boolean {
  return commonLbConfig?.localityConfigSpecifier.case === "localityWeightedLbConfig";
}

/**
 * Weighs endpoints by the load reports in their response headers (`endpoint-load-metrics`). All
 * endpoints have the same weight until they have reported for some time.
 *
 * @param slowStart settings for new endpoints
 */
export function applyUtilization(
  cluster: Cluster,
  settings: Utilization,
  slowStart: Cluster_SlowStartConfig | undefined,
): void {
  const byLoad = packAny(ClientSideWeightedRoundRobinSchema, {
    blackoutPeriod: settings.weightStabilizationPeriod,
    weightExpirationPeriod: settings.weightExpirationPeriod,
    weightUpdatePeriod: settings.weightUpdatePeriod,
    errorUtilizationPenalty: settings.errorUtilizationPenaltyPercent > 0
      ? settings.errorUtilizationPenaltyPercent / 100
      : undefined,
    metricNamesForComputingUtilization: settings.metricNamesForComputingUtilization,
    slowStartConfig: slowStart && create(SlowStartConfigSchema, {
      slowStartWindow: slowStart.slowStartWindow,
      aggression: slowStart.aggression,
      minWeightPercent: slowStart.minWeightPercent,
    }),
  });
  const inTurn = policy("client_side_weighted_round_robin", byLoad);
  const weighs = isWeighed(cluster);
  cluster.loadBalancingPolicy = weighs
    ? policy("wrr_locality", packAny(WrrLocalitySchema, { endpointPickingPolicy: inTurn }))
    : inTurn;
  if (!weighs) return;
  // Envoy accepts locality weights in only one field.
  cluster.commonLbConfig!.localityConfigSpecifier =
    create(Cluster_CommonLbConfigSchema).localityConfigSpecifier;
}

function policy(name: string, typedConfig: Any): Cluster["loadBalancingPolicy"] {
  return create(LoadBalancingPolicySchema, {
    policies: [{ typedExtensionConfig: { name: `${PREFIX}.${name}`, typedConfig } }],
  });
}
