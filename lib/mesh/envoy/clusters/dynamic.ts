/**
 * The cluster of requests for unknown hosts, which are resolved by DNS.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { ClientTLSSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  applyTls,
  type InboundDefaults,
  type MeshClusterDefaults,
  requestNames,
  resolveRequestedNames,
} from "../cluster_options/mod.ts";
import { DYNAMIC_PASSTHROUGH_CLUSTER, type Lookup, statName } from "../core/mod.ts";
import { unnamedService } from "./service_metadata.ts";

/**
 * Forwards requests for unknown hosts to the address that DNS returns.
 *
 * @param tls TLS settings of the mesh's `outboundTrafficPolicy`, with files on the proxy's machine
 */
export function dynamicPassthroughCluster(
  mesh: Pick<MeshClusterDefaults, "tls"> & InboundDefaults & Lookup,
  tls?: ClientTLSSettings,
): Cluster {
  const name = DYNAMIC_PASSTHROUGH_CLUSTER;
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    metadata: unnamedService(name, mesh),
  });
  applyConnectionPool(cluster, mesh);
  const names = requestNames(tls, []);
  applyHttpOptions(cluster, "downstream", undefined, { names, outside: true });
  applyTls(cluster, tls, { http: "downstream", defaults: mesh.tls });
  resolveRequestedNames(cluster, mesh, names);
  return cluster;
}
