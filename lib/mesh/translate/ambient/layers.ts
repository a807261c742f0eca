/**
 * The collections that all node proxies share, made when the first one subscribes.
 *
 * @module
 */
import {
  type AmbientTables,
  gatewayWorkloads,
  isNear,
  listedWorkload,
  type Mesh,
  type PolicyKey,
  policyKeys,
  type RemoteService,
  remoteServices,
  remoteWorkloads,
  type ServiceAddress,
  serviceAt,
  serviceFrom,
  type WorkloadAddress,
  workloadAt,
} from "../../derive/mod.ts";
import { type Collection, type KeyCodec, keyOf, type Read, text } from "../../graph/mod.ts";
import { objectKey, type ServiceKey, serviceKeys, XDS_TYPES } from "../../model/mod.ts";
import { AuthorizationSchema } from "#mesh/security/authorization_pb.ts";
import { AddressSchema, WorkloadSchema } from "#mesh/workload/workload_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { encodeResource, type ResourceTable, resourceTable } from "../resources/mod.ts";

/**
 * The layers of a type URL for node proxies of a network; undefined: it is not served to node proxies.
 * An empty network is that of the daemon's cluster. Where the mesh has no tunnels between networks, all
 * see the same.
 */
export type AmbientLayers = (
  typeUrl: string,
  network: string,
) => readonly Collection[] | undefined;

const ALL = "all";

/** Creates the tables and the function that finds collections; undefined: ambient mode is off. */
export function ambientLayers(mesh: Mesh): AmbientLayers | undefined {
  if (mesh.ambient === undefined) return undefined;
  const addresses = workloadCollections(mesh, "address");
  const workloads = workloadCollections(mesh, "workload");
  const services = serviceCollection(mesh);
  const policies = policyCollections(mesh);
  return (typeUrl, network) => {
    switch (typeUrl) {
      case XDS_TYPES.address.url:
        return [...addresses(network), services(network)];
      case XDS_TYPES.workload.url:
        return workloads(network);
      case XDS_TYPES.authorization.url:
        return policies();
      default:
        return undefined;
    }
  };
}

/** The form of workloads: as addresses, or as workloads alone. */
type Form = "address" | "workload";

function inForm(form: Form, { message, aliases, partOf }: WorkloadAddress) {
  return {
    ...form === "workload" ? encodeResource(message.uid, WorkloadSchema, message) : encodeResource(
      message.uid,
      AddressSchema,
      create(AddressSchema, { type: { case: "workload", value: message } }),
    ),
    aliases,
    partOf,
  };
}

/** Pods and WorkloadEntries, and endpoints that are listed. */
function workloadCollections(mesh: Mesh, form: Form): (network: string) => Collection[] {
  const { graph } = mesh;
  const ambient = mesh.ambient!;
  const { workloads, endpoints } = ambient.indexes;
  if (ambient.multiNetwork) return splitCollections(mesh, ambient, form);
  const rows: ResourceTable<string> = resourceTable(
    graph,
    `ambient.${form}`,
    text,
    (read, key) => {
      const found = workloadAt(read, ambient, key);
      return found === undefined ? [] : [inForm(form, found)];
    },
  );
  const listed: ResourceTable<string> = resourceTable(
    graph,
    `ambient.${form}.listed`,
    text,
    (read, key) => [inForm(form, listedWorkload(read, ambient, JSON.parse(key)))],
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

/** A workload as clients of a network see it. */
interface SeenWorkload {
  readonly network: string;
  readonly row: string;
}

const seenWorkloads: KeyCodec<SeenWorkload> = keyOf<SeenWorkload>({ network: text, row: text });

/**
 * The workloads of a network; for those of other networks, one for each global service and gateway; and
 * the gateways.
 */
function splitCollections(
  { graph }: Mesh,
  ambient: AmbientTables,
  form: Form,
): (network: string) => Collection[] {
  const { indexes: { workloads, endpoints }, remote } = ambient;
  const near = (
    name: string,
    made: (read: Read, row: string) => WorkloadAddress | undefined,
  ): ResourceTable<SeenWorkload> =>
    resourceTable(graph, name, seenWorkloads, (read, { network, row }) => {
      const found = made(read, row);
      const isSeen = found !== undefined && isNear(read, ambient, network, found.message.network);
      return isSeen ? [inForm(form, found)] : [];
    });
  const rows = near(`ambient.${form}.seen`, (read, row) => workloadAt(read, ambient, row));
  const listed = near(
    `ambient.${form}.listed.seen`,
    (read, row) => listedWorkload(read, ambient, JSON.parse(row)),
  );
  const split: ResourceTable<RemoteService> = resourceTable(
    graph,
    `ambient.${form}.split`,
    remoteServices,
    (read, key) => remoteWorkloads(read, ambient, key).map((one) => inForm(form, one)),
  );
  const gateways: ResourceTable<string> = resourceTable(
    graph,
    `ambient.${form}.gateways`,
    text,
    (read, network) => gatewayWorkloads(read, ambient, network).map((one) => inForm(form, one)),
  );
  return (network) => {
    const keyOfRow = (row: string): SeenWorkload => ({ network, row });
    return [
      graph.collection(`ambient/${form}/seen/${network}`, () => ({
        members: { index: workloads, buckets: [ALL] },
        resources: rows,
        keyOf: keyOfRow,
      })),
      graph.collection(`ambient/${form}/listed/seen/${network}`, () => ({
        members: { index: endpoints, buckets: [ALL] },
        resources: listed,
        keyOf: keyOfRow,
      })),
      graph.collection(`ambient/${form}/split/${network}`, () => ({
        members: { listFrom: [remote.services, network], codec: remoteServices },
        resources: split,
      })),
      graph.collection(`ambient/${form}/gateways/${network}`, () => ({
        members: { listFrom: [remote.networks, network], codec: text },
        resources: gateways,
      })),
    ];
  };
}

function serviceCollection(mesh: Mesh): (network: string) => Collection {
  const { graph } = mesh;
  const ambient = mesh.ambient!;
  const { services } = ambient.indexes;
  const resourceOf = (key: ServiceKey, { message, aliases }: ServiceAddress) => {
    const address = create(AddressSchema, { type: { case: "service", value: message } });
    return { ...encodeResource(serviceKeys.encode(key), AddressSchema, address), aliases };
  };
  if (!ambient.multiNetwork) {
    const resources = resourceTable(graph, "ambient.service", serviceKeys, (read, key) => {
      const found = serviceAt(read, ambient, key);
      return found === undefined ? [] : [resourceOf(key, found)];
    });
    return () =>
      graph.collection("ambient/service", () => ({
        members: { index: services, buckets: [ALL] },
        resources,
      }));
  }
  const resources = resourceTable(graph, "ambient.service.seen", remoteServices, (read, key) => {
    const found = serviceFrom(read, ambient, key);
    return found === undefined ? [] : [resourceOf(key.service, found)];
  });
  return (network) =>
    graph.collection(`ambient/service/seen/${network}`, () => ({
      members: { index: services, buckets: [ALL] },
      resources,
      keyOf: (service) => ({ network, service }),
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
