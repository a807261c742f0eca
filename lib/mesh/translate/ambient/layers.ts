/**
 * The collections that all node proxies share, made when the first one subscribes.
 *
 * @module
 */
import {
  listedWorkload,
  type Mesh,
  type PolicyKey,
  policyKeys,
  serviceAt,
  type WorkloadAddress,
  workloadAt,
} from "../../derive/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import { objectKey, serviceKeys, XDS_TYPES } from "../../model/mod.ts";
import { AuthorizationSchema } from "#mesh/security/authorization_pb.ts";
import { AddressSchema, WorkloadSchema } from "#mesh/workload/workload_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { encodeResource, type ResourceTable, resourceTable } from "../resources/mod.ts";

/** The layers of a type URL; undefined: it is not served to node proxies. */
export type AmbientLayers = (typeUrl: string) => readonly Collection[] | undefined;

const ALL = "all";

/** Creates the tables and the function that finds collections; undefined: ambient mode is off. */
export function ambientLayers(mesh: Mesh): AmbientLayers | undefined {
  if (mesh.ambient === undefined) return undefined;
  const addresses = workloadCollections(mesh, "address");
  const workloads = workloadCollections(mesh, "workload");
  const services = serviceCollection(mesh);
  const policies = policyCollections(mesh);
  return (typeUrl) => {
    switch (typeUrl) {
      case XDS_TYPES.address.url:
        return [...addresses(), services()];
      case XDS_TYPES.workload.url:
        return workloads();
      case XDS_TYPES.authorization.url:
        return policies();
      default:
        return undefined;
    }
  };
}

/** Pods and WorkloadEntries, and endpoints that are listed; as addresses, or as workloads alone. */
function workloadCollections(mesh: Mesh, form: "address" | "workload"): () => Collection[] {
  const { graph } = mesh;
  const ambient = mesh.ambient!;
  const { workloads, endpoints } = ambient.indexes;
  const resourceOf = ({ message, aliases, partOf }: WorkloadAddress) => ({
    ...form === "workload" ? encodeResource(message.uid, WorkloadSchema, message) : encodeResource(
      message.uid,
      AddressSchema,
      create(AddressSchema, { type: { case: "workload", value: message } }),
    ),
    aliases,
    partOf,
  });
  const rows: ResourceTable<string> = resourceTable(
    graph,
    `ambient.${form}`,
    text,
    (read, key) => {
      const found = workloadAt(read, ambient, key);
      return found === undefined ? [] : [resourceOf(found)];
    },
  );
  const listed: ResourceTable<string> = resourceTable(
    graph,
    `ambient.${form}.listed`,
    text,
    (read, key) => [resourceOf(listedWorkload(read, ambient, JSON.parse(key)))],
  );
  return () => [
    graph.collection(`ambient/${form}`, () => ({
      members: { index: workloads, buckets: [ALL] },
      resources: rows,
    })),
    graph.collection(`ambient/${form}/listed`, () => ({
      members: { index: endpoints, buckets: [ALL] },
      resources: listed,
    })),
  ];
}

function serviceCollection(mesh: Mesh): () => Collection {
  const { graph } = mesh;
  const ambient = mesh.ambient!;
  const resources = resourceTable(graph, "ambient.service", serviceKeys, (read, key) => {
    const found = serviceAt(read, ambient, key);
    if (found === undefined) return [];
    const address = create(AddressSchema, { type: { case: "service", value: found.message } });
    const resource = encodeResource(serviceKeys.encode(key), AddressSchema, address);
    return [{ ...resource, aliases: found.aliases }];
  });
  return () =>
    graph.collection("ambient/service", () => ({
      members: { index: ambient.indexes.services, buckets: [ALL] },
      resources,
    }));
}

function policyCollections(mesh: Mesh): () => Collection[] {
  const { graph } = mesh;
  const { indexes, policies, allowWaypoints } = mesh.ambient!;
  const resources = resourceTable(graph, "ambient.authorization", policyKeys, (read, key) => {
    const policy = read.get(policies.policy, key);
    return policy === undefined
      ? []
      : [encodeResource(objectKey(policy), AuthorizationSchema, policy)];
  });
  const strict: PolicyKey = { from: "strict", namespace: "", name: "" };
  const from = (name: PolicyKey["from"]) => (key: Omit<PolicyKey, "from">): PolicyKey => ({
    ...key,
    from: name,
  });
  const ofIndex = (
    name: string,
    index: typeof indexes.policies,
    keyOf: (key: Omit<PolicyKey, "from">) => PolicyKey,
  ) =>
    graph.collection(`ambient/${name}`, () => ({
      members: { index, buckets: [ALL] },
      resources,
      keyOf,
    }));
  return () => [
    ofIndex("policies", indexes.policies, from("AuthorizationPolicy")),
    ofIndex("peerPolicies", indexes.peerPolicies, from("PeerAuthentication")),
    graph.collection<PolicyKey>("ambient/strict", () => ({
      members: { list: [strict] },
      resources,
    })),
    ...allowWaypoints ? [ofIndex("waypoints", indexes.gateways, from("waypoint"))] : [],
  ];
}
