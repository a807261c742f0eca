/**
 * Patches of clusters.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { TransportSocketSchema } from "#envoy/config/core/v3/base_pb.ts";
import {
  DataproxyFilter_ApplyTo as ApplyTo,
  DataproxyFilter_Patch_Operation as Operation,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Role } from "../../model/mod.ts";
import { clone, mergeInto } from "../../../kit/proto/mod.ts";
import { INBOUND_PASSTHROUGH_CLUSTER } from "../core/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import { concerns, isFor, mergeRule, type Patch, waypointMatch, type Where } from "./change.ts";
import type { Done } from "./routes.ts";

/** Applies a patch to a cluster. The name is kept, because routes refer to it. */
export function patchCluster(cluster: Cluster, patch: Patch, role: Role): Done {
  if (patch.applyTo !== ApplyTo.CLUSTER || !isFor(patch, whereOf(cluster, role))) return "nothing";
  if (!matches(cluster, patch) || !concerns(patch, cluster.name)) return "nothing";
  if (patch.operation === Operation.REMOVE) return "removed";
  const lists = mergeRule(patch.operation);
  if (lists === undefined || patch.value === undefined) return "nothing";
  const value = clone(ClusterSchema, patch.value as Cluster);
  const { name } = cluster;
  if (mergeSockets(cluster, value)) value.transportSocket = undefined;
  mergeInto(ClusterSchema, cluster, value, lists);
  cluster.name = name;
  return "changed";
}

function whereOf({ name }: Cluster, role: Role): Where {
  if (role === "router") return "gateway";
  if (role === "waypoint") return "waypoint";
  return name.startsWith("inbound|") || name === INBOUND_PASSTHROUGH_CLUSTER
    ? "inbound"
    : "outbound";
}

function matches(cluster: Cluster, patch: Patch): boolean {
  const { objectTypes } = patch;
  const atPort = waypointMatch(patch)?.portNumber ?? 0;
  if (atPort !== 0) return parseClusterName(cluster.name)?.port === atPort;
  if (objectTypes.case !== "cluster") return true;
  const { name, service, subset, portNumber } = objectTypes.value;
  if (name !== "") return name === cluster.name;
  if (service === "" && subset === "" && portNumber === 0) return true;
  const parts = parseClusterName(cluster.name);
  if (parts === undefined) return false;
  if (portNumber !== 0 && portNumber !== parts.port) return false;
  if (subset !== "" && subset !== parts.subset) return false;
  return service === "" || hostsOf(cluster, parts.host).includes(service);
}

/** Returns the service of a cluster; for an inbound cluster, the services of the port. */
function hostsOf({ metadata }: Cluster, host: string): string[] {
  if (host !== "") return [host];
  const services = metadata?.filterMetadata.mesh?.services;
  if (!Array.isArray(services)) return [];
  return services.flatMap((one) =>
    typeof one === "object" && one !== null && !Array.isArray(one) && typeof one.host === "string"
      ? [one.host]
      : []
  );
}

/**
 * If endpoints select among transport sockets, a socket of a patch is merged into the one with the
 * same name.
 */
function mergeSockets(cluster: Cluster, { transportSocket }: Cluster): boolean {
  if (transportSocket === undefined || cluster.transportSocketMatches.length === 0) return false;
  for (const { transportSocket: own } of cluster.transportSocketMatches) {
    if (own?.name === transportSocket.name) mergeInto(TransportSocketSchema, own, transportSocket);
  }
  return true;
}
