/**
 * How gRPC libraries pick an endpoint.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_LbPolicy as LbPolicy,
  type LoadBalancingPolicy,
  LoadBalancingPolicySchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClientSideWeightedRoundRobinSchema } from "#envoy/extensions/load_balancing_policies/client_side_weighted_round_robin/v3/client_side_weighted_round_robin_pb.ts";
import { LeastRequestSchema } from "#envoy/extensions/load_balancing_policies/least_request/v3/least_request_pb.ts";
import { RoundRobinSchema } from "#envoy/extensions/load_balancing_policies/round_robin/v3/round_robin_pb.ts";
import { WrrLocalitySchema } from "#envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality_pb.ts";
import {
  type LoadBalancerSettings,
  type LoadBalancerSettings_BackendUtilizationLB as Utilization,
  LoadBalancerSettings_SimpleLB as SimpleLB,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { type Any, create, packAny } from "../../proto/mod.ts";
import { applyConsistentHash } from "../cluster_options/mod.ts";

/**
 * Sets the load balancer. All libraries know two: in turn, and a ring. Others are written in a list
 * of which a library takes the first that it knows, ending with in turn; libraries from before there
 * were such lists take turns, too. A table of Maglev's becomes a ring: what counts is that a key
 * stays with its endpoint.
 */
export function applyGrpcBalancing(
  cluster: Cluster,
  settings: LoadBalancerSettings | undefined,
): void {
  cluster.lbPolicy = LbPolicy.ROUND_ROBIN;
  const { lbPolicy } = settings ?? {};
  switch (lbPolicy?.case) {
    case "consistentHash": {
      const { value } = lbPolicy;
      const ring = value.hashAlgorithm.case === "maglev"
        ? { ...value, hashAlgorithm: { case: undefined } as const }
        : value;
      applyConsistentHash(cluster, ring);
      return;
    }
    case "backendUtilization":
      cluster.loadBalancingPolicy = orInTurn(byLoad(lbPolicy.value));
      return;
    case "simple":
      if (lbPolicy.value === SimpleLB.LEAST_REQUEST || lbPolicy.value === SimpleLB.LEAST_CONN) {
        cluster.loadBalancingPolicy = orInTurn(leastRequest());
      }
  }
}

/** A policy under its name. */
type Named = readonly [name: string, config: Any];

function leastRequest(): Named {
  return ["least_request", packAny(LeastRequestSchema, {})];
}

function byLoad(settings: Utilization): Named {
  return [
    "client_side_weighted_round_robin",
    packAny(ClientSideWeightedRoundRobinSchema, {
      blackoutPeriod: settings.weightStabilizationPeriod,
      weightExpirationPeriod: settings.weightExpirationPeriod,
      weightUpdatePeriod: settings.weightUpdatePeriod,
      errorUtilizationPenalty: settings.errorUtilizationPenaltyPercent > 0
        ? settings.errorUtilizationPenaltyPercent / 100
        : undefined,
      metricNamesForComputingUtilization: settings.metricNamesForComputingUtilization,
    }),
  ];
}

/** Among localities by their weight, within one by a policy, or in turn; libraries that do not know the first take turns. */
function orInTurn(wanted: Named): LoadBalancingPolicy {
  const inTurn: Named = ["round_robin", packAny(RoundRobinSchema, {})];
  const weighed = packAny(WrrLocalitySchema, { endpointPickingPolicy: list([wanted, inTurn]) });
  return list([["wrr_locality", weighed], inTurn]);
}

function list(policies: readonly Named[]): LoadBalancingPolicy {
  return create(LoadBalancingPolicySchema, {
    policies: policies.map(([name, typedConfig]) => ({
      typedExtensionConfig: { name: `envoy.load_balancing_policies.${name}`, typedConfig },
    })),
  });
}
