/**
 * Clusters of tunnels (HBONE).
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  acrossOriginateClusters,
  connectOriginateCluster,
  mainInternalCluster,
  secretNames,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { durationMs } from "../../../kit/proto/mod.ts";
import { familyOf, listensForTunnels, sendsAcross, sendsTunnels } from "../context/mod.ts";
import { tunnelClient } from "../security/mod.ts";
import { clusterDefaults } from "./defaults.ts";
import type { Context } from "./features.ts";

/** The clusters of the tunnels that a proxy has. */
export function tunnelClusters(read: Read, context: Context, cls: ProxyClass): Cluster[] {
  const { features, mesh } = context;
  const clusters: Cluster[] = [];
  const defaults = clusterDefaults(read, context, familyOf(cls));
  if (listensForTunnels(features, cls)) clusters.push(mainInternalCluster(defaults));
  const names = secretNames(cls).client;
  if (names !== undefined && sendsTunnels(features, cls)) {
    const idle = mesh.field(read, "hboneIdleTimeout");
    const input = {
      mesh: defaults,
      tls: tunnelClient(read, context, names),
      idleTimeoutMs: idle === undefined ? undefined : durationMs(idle),
    };
    clusters.push(connectOriginateCluster(input));
    if (sendsAcross(features, cls)) clusters.push(...acrossOriginateClusters(input));
  }
  return clusters;
}
