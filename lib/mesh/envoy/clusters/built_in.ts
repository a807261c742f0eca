/**
 * Built-in clusters that belong to no service.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { create, durationOf } from "../../../kit/proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  type InboundDefaults,
} from "../cluster_options/mod.ts";
import {
  BLACK_HOLE_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  ownSource,
  PASSTHROUGH_CLUSTER,
  statName,
} from "../core/mod.ts";
import { unnamedService } from "./service_metadata.ts";

/** Forwards connections to their original destination; HTTP in the client's version. */
export function passthroughCluster(mesh: InboundDefaults): Cluster {
  return originalDestination(PASSTHROUGH_CLUSTER, mesh);
}

/**
 * Like {@link passthroughCluster} for inbound connections, from a source address that is not
 * captured again.
 */
export function inboundPassthroughCluster(mesh: InboundDefaults): Cluster {
  const cluster = originalDestination(INBOUND_PASSTHROUGH_CLUSTER, mesh);
  cluster.upstreamBindConfig = ownSource(mesh.family);
  return cluster;
}

/** Has no endpoints: connections are closed, requests get 503. */
export function blackHoleCluster(mesh: InboundDefaults): Cluster {
  return create(ClusterSchema, {
    name: BLACK_HOLE_CLUSTER,
    altStatName: statName(BLACK_HOLE_CLUSTER),
    metadata: unnamedService(BLACK_HOLE_CLUSTER, mesh),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC },
    connectTimeout: durationOf(mesh.connectTimeoutMs),
  });
}

/**
 * Time after which idle HTTP connections to original destinations are closed, ms. Each destination
 * has connections of its own, and nothing tells the proxy that a destination is gone.
 */
const PASSING_IDLE_MS = 300_000;

function originalDestination(name: string, mesh: InboundDefaults): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    metadata: unnamedService(name, mesh),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.ORIGINAL_DST },
    lbPolicy: LbPolicy.CLUSTER_PROVIDED,
  });
  applyConnectionPool(cluster, mesh);
  applyHttpOptions(cluster, "downstream", undefined, {
    outside: name === PASSTHROUGH_CLUSTER,
    idleTimeoutMs: PASSING_IDLE_MS,
  });
  return cluster;
}
