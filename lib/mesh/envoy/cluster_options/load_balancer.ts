/**
 * Load balancing of a cluster.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_CommonLbConfigSchema,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_LbPolicy as LbPolicy,
  type Cluster_SlowStartConfig,
  Cluster_SlowStartConfigSchema,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import {
  type LoadBalancerSettings,
  type LoadBalancerSettings_ConsistentHashLB,
  LoadBalancerSettings_SimpleLB as SimpleLB,
  type TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Distribution } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { localityRule, weighsLocalities } from "../endpoints/mod.ts";
import type { MeshClusterDefaults } from "./input.ts";
import { applyUtilization, isWeighed } from "./utilization.ts";

/** Health states of endpoints that keep their sessions; draining endpoints are included. */
const STAYS = [
  HealthStatus.UNKNOWN,
  HealthStatus.HEALTHY,
  HealthStatus.DEGRADED,
  HealthStatus.DRAINING,
];

/** Lets sessions stay with endpoints that get no new sessions. */
export function keepSessions(cluster: Cluster): void {
  if (isOriginalDestination(cluster)) return;
  cluster.commonLbConfig ??= create(Cluster_CommonLbConfigSchema);
  cluster.commonLbConfig.overrideHostStatus = create(Cluster_CommonLbConfigSchema, {
    overrideHostStatus: { statuses: STAYS },
  }).overrideHostStatus;
}

/** Envoy's default. It is set explicitly, so that 0 and an unset value give the same result. */
const MINIMUM_RING_SIZE = 1024n;

/** Envoy's API requires a runtime key for the aggression. */
const AGGRESSION_KEY = "mesh.warmup.aggression";

/**
 * Sets the load balancer; the default is least request. `PASSTHROUGH` makes the cluster use
 * original destinations. Localities are weighted only if their setting defines distribution or
 * failover, or the service prefers endpoints near the client; otherwise the load balancer decides
 * alone.
 */
export function applyLoadBalancer(
  cluster: Cluster,
  policy: Pick<TrafficPolicy, "loadBalancer" | "outlierDetection"> | undefined,
  mesh: Pick<MeshClusterDefaults, "localityLb" | "alwaysWeighLocalities" | "lacksUtilization">,
  distribution?: Distribution,
): void {
  const settings = policy?.loadBalancer;
  const rule = localityRule(policy, mesh.localityLb, distribution);
  if (rule !== undefined && (mesh.alwaysWeighLocalities || weighsLocalities(rule))) {
    weighLocalities(cluster);
  }
  const { lbPolicy } = settings ?? {};
  if (isPassthrough(settings)) useOriginalDestination(cluster);
  if (isOriginalDestination(cluster)) {
    cluster.lbPolicy = LbPolicy.CLUSTER_PROVIDED;
    return;
  }
  if (lbPolicy?.case === "consistentHash") applyConsistentHash(cluster, lbPolicy.value);
  else if (
    lbPolicy?.case === "backendUtilization" &&
    !(mesh.lacksUtilization === true && isWeighed(cluster))
  ) {
    applyUtilization(cluster, lbPolicy.value, slowStart(settings));
  } else applySimple(cluster, lbPolicy?.case === "simple" ? lbPolicy.value : undefined, settings);
}

/** Reports if a rule forwards connections to the client's original destination. */
export function isPassthrough(settings: LoadBalancerSettings | undefined): boolean {
  const policy = settings?.lbPolicy;
  return policy?.case === "simple" && policy.value === SimpleLB.PASSTHROUGH;
}

/** Reports if a cluster uses the original destination of connections. */
export function isOriginalDestination(cluster: Cluster): boolean {
  const type = cluster.clusterDiscoveryType;
  return type.case === "type" && type.value === DiscoveryType.ORIGINAL_DST;
}

function useOriginalDestination(cluster: Cluster): void {
  cluster.clusterDiscoveryType = { case: "type", value: DiscoveryType.ORIGINAL_DST };
  cluster.loadAssignment = undefined;
}

function weighLocalities(cluster: Cluster): void {
  cluster.commonLbConfig ??= create(Cluster_CommonLbConfigSchema);
  cluster.commonLbConfig.localityConfigSpecifier = create(Cluster_CommonLbConfigSchema, {
    localityConfigSpecifier: { case: "localityWeightedLbConfig", value: {} },
  }).localityConfigSpecifier;
}

function applySimple(
  cluster: Cluster,
  simple: SimpleLB | undefined,
  settings: LoadBalancerSettings | undefined,
): void {
  if (simple === SimpleLB.RANDOM) {
    cluster.lbPolicy = LbPolicy.RANDOM;
    return;
  }
  const roundRobin = simple === SimpleLB.ROUND_ROBIN;
  cluster.lbPolicy = roundRobin ? LbPolicy.ROUND_ROBIN : LbPolicy.LEAST_REQUEST;
  const slowStartConfig = slowStart(settings);
  if (slowStartConfig === undefined) return;
  cluster.lbConfig = create(ClusterSchema, {
    lbConfig: {
      case: roundRobin ? "roundRobinLbConfig" : "leastRequestLbConfig",
      value: { slowStartConfig },
    },
  }).lbConfig;
}

/** New endpoints get their share of traffic gradually. */
function slowStart(
  settings: LoadBalancerSettings | undefined,
): Cluster_SlowStartConfig | undefined {
  const slowStartWindow = settings?.warmup?.duration ?? settings?.warmupDurationSecs;
  if (slowStartWindow === undefined) return undefined;
  const { aggression, minimumPercent } = settings?.warmup ?? {};
  return create(Cluster_SlowStartConfigSchema, {
    slowStartWindow,
    aggression: aggression === undefined
      ? undefined
      : { defaultValue: aggression, runtimeKey: AGGRESSION_KEY },
    minWeightPercent: minimumPercent === undefined ? undefined : { value: minimumPercent },
  });
}

/** Sets the table of consistent hashing. Routes define what is hashed. */
export function applyConsistentHash(
  cluster: Cluster,
  settings: LoadBalancerSettings_ConsistentHashLB,
): void {
  const algorithm = settings.hashAlgorithm;
  if (algorithm.case === "maglev") {
    const { tableSize } = algorithm.value;
    cluster.lbPolicy = LbPolicy.MAGLEV;
    if (tableSize === 0n) return;
    cluster.lbConfig = create(ClusterSchema, {
      lbConfig: { case: "maglevLbConfig", value: { tableSize } },
    }).lbConfig;
    return;
  }
  const size = algorithm.case === "ringHash"
    ? algorithm.value.minimumRingSize
    : settings.minimumRingSize;
  cluster.lbPolicy = LbPolicy.RING_HASH;
  cluster.lbConfig = create(ClusterSchema, {
    lbConfig: {
      case: "ringHashLbConfig",
      value: { minimumRingSize: size > 0n ? size : MINIMUM_RING_SIZE },
    },
  }).lbConfig;
}
