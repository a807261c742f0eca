/**
 * Clusters of waypoints.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { blackHoleCluster, encapCluster, passthroughCluster, statName } from "../../envoy/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import { type Resource, text } from "../../graph/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { clusterDefaults, type ClusterKey, tunnelClusters } from "../clusters/mod.ts";
import { familyOf, sendsTunnels } from "../context/mod.ts";
import { type ClusterTable, encodeResource, resourceTable } from "../resources/mod.ts";
import type { Context } from "./features.ts";
import { waypointName } from "./names.ts";
import { waypointOf } from "./keys.ts";
import { carriedBy, isEntrance } from "./services.ts";

/** Creates the table: key of a class → the clusters that every waypoint has. */
export function deriveOwnClusters(context: Context): ClusterTable {
  return resourceTable(context.mesh.graph, "cds.waypoint.own", text, (read, key) => {
    const cls = read.get(context.classes, key);
    if (isEntrance(read, context, waypointOf(cls))) return [];
    const defaults = clusterDefaults(read, context, familyOf(cls));
    return [
      blackHoleCluster(defaults),
      passthroughCluster(defaults),
      ...sendsTunnels(context.features, cls) ? [encapCluster(defaults)] : [],
      ...tunnelClusters(read, context, cls),
    ].map(resourceOf);
  });
}

function resourceOf(cluster: Cluster): Resource {
  return encodeResource(cluster.name, ClusterSchema, cluster);
}

/**
 * Creates the table of the clusters of services, from the outbound ones: a copy for what each port
 * carries. Copies share the endpoints of the originals.
 */
export function deriveServiceClusters(
  context: Context,
  outbound: ClusterTable<ClusterKey>,
): ClusterTable<ClusterKey> {
  const { mesh } = context;
  return resourceTable(mesh.graph, "cds.waypoint", outbound.keyCodec, (read, key) => {
    const found = read.get(mesh.services.resolve, key);
    const ports = (found && read.get(mesh.services.service, found)?.ports) ?? [];
    const originals: readonly Resource[] = read.follow<readonly Resource[], ClusterKey>(
      outbound,
      key,
    );
    return originals.flatMap(({ name, bytes }) => {
      const parts = parseClusterName(name);
      const port = ports.find(({ number }) => number === parts?.port);
      if (parts === undefined || port === undefined) return [];
      return carriedBy(port).map((carried) => copyOf(name, bytes, waypointName(carried, parts)));
    });
  });
}

function copyOf(original: string, bytes: Uint8Array, name: string): Resource {
  const cluster = fromBinary(ClusterSchema, bytes);
  cluster.name = name;
  cluster.altStatName = statName(name);
  if (cluster.edsClusterConfig !== undefined) cluster.edsClusterConfig.serviceName = original;
  if (cluster.loadAssignment !== undefined) cluster.loadAssignment.clusterName = name;
  return resourceOf(cluster);
}
