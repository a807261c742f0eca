/**
 * Tables of the clusters that no service has: those of a workload's ports, and those that every
 * gateway has.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { applySettings } from "../../envoy/mod.ts";
import { oneOf, type Resource, text } from "../../graph/mod.ts";
import { type Family, ownClusterSettings } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ClusterTable, encodeResource, resourceTable } from "../resources/mod.ts";
import { routerClusters, sidecarClusters } from "./inbound.ts";
import { tunnelClusters } from "./tunnels.ts";

/** The tables. */
export interface ClassClusters {
  /** Key of a class → clusters of a sidecar. */
  readonly sidecars: ClusterTable;
  /** Clusters that every gateway has. */
  readonly gateways: ClusterTable<Family>;
  /** Key of the class of a gateway → clusters of its tunnels. */
  readonly tunnels: ClusterTable;
}

/** Creates the tables. */
export function deriveClassClusters(context: Context): ClassClusters {
  const { graph } = context.mesh;
  return {
    sidecars: resourceTable(graph, "cds.class", text, (read, key) => {
      const cls = read.get(context.classes, key);
      const settings = ownClusterSettings(read, context.mesh, cls.options.PROXY_CONFIG ?? "");
      return sidecarClusters(read, context, cls).map((cluster) => {
        applySettings(cluster, settings);
        return clusterResource(cluster);
      });
    }),
    gateways: resourceTable(
      graph,
      "cds.router",
      oneOf<Family>("v4", "v6", "dual"),
      (read, family) => routerClusters(read, context, family).map(clusterResource),
    ),
    tunnels: resourceTable(
      graph,
      "cds.tunnels",
      text,
      (read, key) =>
        tunnelClusters(read, context, read.get(context.classes, key)).map(clusterResource),
    ),
  };
}

function clusterResource(cluster: Cluster): Resource {
  return encodeResource(cluster.name, ClusterSchema, cluster);
}
