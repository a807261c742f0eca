/**
 * Clusters for gRPC libraries.
 *
 * @module
 */
import {
  CircuitBreakers_ThresholdsSchema,
  CircuitBreakersSchema,
} from "#envoy/config/cluster/v3/circuit_breaker_pb.ts";
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_EdsClusterConfigSchema,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
  type LoadBalancingPolicy,
  LoadBalancingPolicySchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClientSideWeightedRoundRobinSchema } from "#envoy/extensions/load_balancing_policies/client_side_weighted_round_robin/v3/client_side_weighted_round_robin_pb.ts";
import { LeastRequestSchema } from "#envoy/extensions/load_balancing_policies/least_request/v3/least_request_pb.ts";
import { RoundRobinSchema } from "#envoy/extensions/load_balancing_policies/round_robin/v3/round_robin_pb.ts";
import { WrrLocalitySchema } from "#envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality_pb.ts";
import {
  ClientTLSSettings_TLSmode as TlsMode,
  type LoadBalancerSettings,
  type LoadBalancerSettings_BackendUtilizationLB as Utilization,
  LoadBalancerSettings_SimpleLB as SimpleLB,
  type TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { type Any, create, packAny } from "../../../kit/proto/mod.ts";
import { applyConsistentHash } from "../cluster_options/mod.ts";
import { adsSource } from "../core/mod.ts";
import { grpcOutlierDetection } from "./outlier_detection.ts";
import { grpcClientTls } from "./tls.ts";

export interface GrpcClusterInput {
  readonly name: string;
  /** Merged, see `mergeTrafficPolicy`. */
  readonly policy: TrafficPolicy | undefined;
  /** Accepted identities of the server. */
  readonly identities: readonly string[];
}

/** Builds an EDS cluster; gRPC has no other discovery type that a mesh needs. */
export function buildGrpcCluster({ name, policy, identities }: GrpcClusterInput): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: DiscoveryType.EDS },
    edsClusterConfig: create(Cluster_EdsClusterConfigSchema, {
      serviceName: name,
      edsConfig: adsSource(),
    }),
  });
  applyGrpcBalancing(cluster, policy?.loadBalancer);
  const maxRequests = policy?.connectionPool?.http?.http2MaxRequests ?? 0;
  if (maxRequests > 0) {
    cluster.circuitBreakers = create(CircuitBreakersSchema, {
      thresholds: [create(CircuitBreakers_ThresholdsSchema, { maxRequests })],
    });
  }
  if (policy?.outlierDetection !== undefined) {
    cluster.outlierDetection = grpcOutlierDetection(policy.outlierDetection);
  }
  if (policy?.tls?.mode === TlsMode.MESH_MUTUAL) {
    const own = policy.tls.subjectAltNames;
    cluster.transportSocket = grpcClientTls(own.length > 0 ? own : identities);
  }
  return cluster;
}

/**
 * Sets the load balancer. All libraries support round robin and ring hash. Other policies are a
 * list from which a library uses the first that it supports; the last is round robin, which
 * libraries without support for such lists use too. Maglev becomes ring hash, because both keep a
 * key at its endpoint.
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

/** A load balancing policy with its name. */
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

/**
 * Weighted localities, with a policy within each locality, or round robin for libraries that do not
 * support weighted localities.
 */
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
