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
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  ClientTLSSettings_TLSmode as TlsMode,
  type TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../proto/mod.ts";
import { adsSource } from "../core/mod.ts";
import { applyGrpcBalancing } from "./balancing.ts";
import { grpcOutlierDetection } from "./outlier_detection.ts";
import { grpcClientTls } from "./tls.ts";

/** What a cluster is made from. */
export interface GrpcClusterInput {
  readonly name: string;
  /** Merged, see `mergeTrafficPolicy`. */
  readonly policy: TrafficPolicy | undefined;
  /** Identities the server may have. */
  readonly identities: readonly string[];
}

/** Gives a library its endpoints by discovery; gRPC knows no other way that a mesh needs. */
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
