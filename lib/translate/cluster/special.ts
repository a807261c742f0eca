/**
 * Clusters that stand for no service.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { create, durationOf } from "../../proto/mod.ts";
import { meshMetadata } from "../wire/mod.ts";
import { applyConnectionPool } from "./connection.ts";
import { applyHttpOptions } from "./http_options.ts";
import { type InboundDefaults, ownSource } from "./inbound.ts";
import {
  BLACK_HOLE_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  PASSTHROUGH_CLUSTER,
  statName,
} from "./name.ts";

/** Connections go on to where they were sent; HTTP in the version the client spoke. */
export function passthroughCluster(mesh: InboundDefaults): Cluster {
  return originalDestination(PASSTHROUGH_CLUSTER, mesh);
}

/** As {@link passthroughCluster} for inbound connections, from a source that is not captured again. */
export function inboundPassthroughCluster(mesh: InboundDefaults): Cluster {
  const cluster = originalDestination(INBOUND_PASSTHROUGH_CLUSTER, mesh);
  cluster.upstreamBindConfig = ownSource(mesh.family);
  return cluster;
}

/** Has no endpoints: connections are closed, requests answered with 503. */
export function blackHoleCluster(mesh: InboundDefaults): Cluster {
  return create(ClusterSchema, {
    name: BLACK_HOLE_CLUSTER,
    altStatName: statName(BLACK_HOLE_CLUSTER),
    metadata: nobodys(BLACK_HOLE_CLUSTER, mesh),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC },
    connectTimeout: durationOf(mesh.connectTimeoutMs),
  });
}

function originalDestination(name: string, mesh: InboundDefaults): Cluster {
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    metadata: nobodys(name, mesh),
    clusterDiscoveryType: { case: "type", value: DiscoveryType.ORIGINAL_DST },
    lbPolicy: LbPolicy.CLUSTER_PROVIDED,
  });
  applyConnectionPool(cluster, undefined, mesh);
  applyHttpOptions(cluster, "downstream", undefined, { outside: name === PASSTHROUGH_CLUSTER });
  return cluster;
}

/** Metrics name the cluster in place of a service. */
export function nobodys(name: string, mesh: InboundDefaults): Cluster["metadata"] {
  const service = { host: "unknown", name, namespace: "unknown" };
  return mesh.telemetryLabel ? meshMetadata({ service }) : undefined;
}
