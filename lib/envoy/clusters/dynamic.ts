/**
 * The cluster of requests for hosts that no service claims: their names are looked up.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { ClientTLSSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  applyTls,
  type InboundDefaults,
  lookUpAsAsked,
  type MeshClusterDefaults,
  namesAskedFor,
} from "../cluster_options/mod.ts";
import { DYNAMIC_PASSTHROUGH_CLUSTER, type Lookup, statName } from "../core/mod.ts";
import { nobodys } from "./service_metadata.ts";

/**
 * Requests for hosts that no service claims go where their names lead.
 *
 * @param tls what the mesh's `outboundTrafficPolicy` says of it; by files beside the proxies
 */
export function dynamicPassthroughCluster(
  mesh: Pick<MeshClusterDefaults, "tls"> & InboundDefaults & Lookup,
  tls?: ClientTLSSettings,
): Cluster {
  const name = DYNAMIC_PASSTHROUGH_CLUSTER;
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    metadata: nobodys(name, mesh),
  });
  applyConnectionPool(cluster, mesh);
  const names = namesAskedFor(tls, []);
  applyHttpOptions(cluster, "downstream", undefined, { names, outside: true });
  applyTls(cluster, tls, { http: "downstream", defaults: mesh.tls });
  lookUpAsAsked(cluster, mesh, names);
  return cluster;
}
