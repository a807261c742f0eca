/**
 * Clusters of proxyless gRPC clients.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClientTLSSettings_TLSmode as TLSmode } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { type HostKey, hostKeys } from "../../derive/mod.ts";
import { buildGrpcCluster, clusterName } from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import {
  type Client,
  clientAt,
  type Context,
  followServiceRules,
  mergedPolicy,
} from "../context/mod.ts";
import {
  type ByLocality,
  differences,
  encodeResource,
  localHostKeys,
  overlayOf,
  resourceTable,
} from "../resources/mod.ts";
import { serverIdentities } from "../security/mod.ts";

/** Creates the tables of clusters. */
export function deriveGrpcClusters(context: Context): ByLocality<HostKey> {
  const { graph } = context.mesh;
  const base = resourceTable(
    graph,
    "cds.grpc",
    hostKeys,
    (read, { namespace, host }) => clustersOf(read, context, { namespace }, host),
  );
  const local = resourceTable(graph, "cds.grpc.placed", localHostKeys, (read, key) => {
    const { namespace, host } = key;
    const mine = clustersOf(read, context, clientAt(key), host);
    return differences(mine, read.get(base, { namespace, host }));
  });
  return { base, overlay: overlayOf(context, "cds.grpc.overlay", base), local };
}

function clustersOf(
  read: Read,
  context: Context,
  client: Client,
  host: string,
): readonly Resource[] {
  const { mesh } = context;
  const chosen = followServiceRules(read, context, client, host);
  const service = chosen && read.follow(mesh.services.service, chosen.service);
  if (service === undefined) return [];
  const rules = read.get(mesh.policies.policy, chosen!.rules);
  const defaults = mesh.field(read, "defaultTrafficPolicy");
  const ports = service.ports.filter(({ protocol }) => protocol !== "UDP");
  return ports.flatMap((port) =>
    [undefined, ...rules.subsets].map((subset) => {
      const name = clusterName("outbound", port.number, subset?.name ?? "", host);
      const { policy, decisions } = mergedPolicy(read, {
        rules,
        subset,
        port: port.number,
        defaults,
      });
      const identities = policy?.tls?.mode === TLSmode.MESH_MUTUAL
        ? serverIdentities(read, context, service)
        : [];
      const cluster = buildGrpcCluster({ name, policy, identities });
      const inside = read.within(name);
      for (const decision of decisions.values()) inside.decide?.(decision);
      return encodeResource(cluster.name, ClusterSchema, cluster);
    })
  );
}
