/**
 * Messages of workloads, from pods, WorkloadEntries and listed endpoints.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import {
  type ConfigObject,
  type EndpointFacts,
  GATEWAY_NAME_LABEL,
  nameOfObject,
  type ObjectKey,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { GatewayAddress, Workload } from "#mesh/workload/workload_pb.ts";
import { isIp } from "../../../kit/text/mod.ts";
import {
  addressTexts,
  entranceAddress,
  gatewayAddress,
  portOf,
  type Selection,
  servedBy,
  type ServedPorts,
  tunnelOf,
  type Waypoint,
  type WorkloadFacts,
  workloadMessage,
} from "../../ambient/mod.ts";
import { workloadLabels } from "../inputs/mod.ts";
import { localityOf } from "../services/mod.ts";
import type { AmbientTables } from "./ambient.ts";
import type { ListedEndpoint } from "./indexes.ts";
import { networkAt } from "./networks.ts";
import { allowPolicyName, trustDomainOf } from "./policies.ts";

/** A workload's message, and the names by which clients ask for it on demand. */
export interface WorkloadAddress {
  readonly message: Workload;
  /** `network/address` of each address. */
  readonly aliases: readonly string[];
  /** Services that it is part of, and its node; see {@link nodeWhole}. */
  readonly partOf: readonly string[];
}

/** Name of all workloads of a node, for node proxies that subscribe on demand; no resource has it. */
export function nodeWhole(cluster: string, node: string): string {
  return `${cluster}//Node/${node}`;
}

type Row = ConfigObject<WorkloadEntry>;

/** The workload of a row; undefined: there is none. */
export function workloadAt(
  read: Read,
  inputs: AmbientTables,
  key: string,
): WorkloadAddress | undefined {
  const row = read.get(inputs.mesh.tables.workloadEntries, key);
  if (row === undefined) return undefined;
  const labels = workloadLabels(row);
  const { namespace } = row.meta;
  const { cluster } = row.meta.origin;
  const name = nameOfObject(row.meta);
  const isPod = row.pod !== undefined;
  const clusterId = cluster ?? inputs.clusterId;
  const addresses = row.ambient?.addresses ?? [row.spec.address];
  const services = servicesOf(read, inputs, row);
  const uid = isPod
    ? `${clusterId}//Pod/${namespace}/${name}`
    : `${clusterId}/networking.mesh.io/WorkloadEntry/${namespace}/${name}`;
  return addressOf(read, inputs, {
    uid,
    name,
    namespace,
    labels,
    addresses,
    network: networkAt(read, inputs, { ...row.spec, cluster }),
    trustDomain: trustDomainOf(read, inputs.field),
    serviceAccount: row.spec.serviceAccount,
    node: row.pod?.node ?? "",
    clusterId,
    locality: localityOf(row.spec.locality),
    isHealthy: healthOf(row, row.pod),
    kind: row.ambient?.kind ?? "pod",
    workloadName: row.pod?.workload || labels["service.mesh.io/workload-name"] || name,
    hostNetwork: row.ambient?.hostNetwork ?? false,
    tunnel: tunnelOf(labels, row.ambient?.redirected ?? false),
    services,
    weight: isPod ? 0 : row.spec.weight,
  }, row.meta.annotations);
}

function healthOf({ meta }: Row, pod: EndpointFacts | undefined): boolean {
  return (pod?.health ?? meta.health ?? "healthy") === "healthy";
}

/** The workload of an endpoint that a ServiceEntry or a Service lists. */
export function listedWorkload(
  read: Read,
  inputs: AmbientTables,
  endpoint: ListedEndpoint,
): WorkloadAddress {
  const { kind, namespace, name, address, labels, hosts } = endpoint;
  const cluster = endpoint.cluster || undefined;
  const clusterId = cluster ?? inputs.clusterId;
  const group = kind === "ServiceEntry" ? "networking.mesh.io" : "discovery.k8s.io";
  const ports = endpoint.ports.map(({ number, target, protocol }) =>
    portOf(number, target, protocol)
  );
  return addressOf(read, inputs, {
    uid: `${clusterId}/${group}/${kind}/${namespace}/${name}/${address}`,
    name,
    namespace,
    labels,
    addresses: [address],
    network: networkAt(read, inputs, { ...endpoint, cluster }),
    trustDomain: trustDomainOf(read, inputs.field),
    serviceAccount: endpoint.serviceAccount,
    node: endpoint.node,
    clusterId,
    locality: localityOf(endpoint.locality),
    isHealthy: endpoint.health === "healthy",
    kind: "pod",
    workloadName: labels["service.mesh.io/workload-name"] || name,
    hostNetwork: false,
    tunnel: tunnelOf(labels, false),
    services: hosts.map((host) => ({ service: serviceKeys.encode({ namespace, host }), ports })),
    weight: endpoint.weight,
  }, {});
}

type Facts = Omit<WorkloadFacts, "waypoint" | "networkGateway" | "inbound" | "policies">;

/** Adds what the mesh knows about a workload: waypoints, gateways, policies. */
function addressOf(
  read: Read,
  inputs: AmbientTables,
  facts: Facts,
  annotations: Readonly<Record<string, string>>,
): WorkloadAddress {
  const { namespace, labels, network } = facts;
  const { waypoint } = inputs.waypoints.bindWorkload(read, { namespace, labels, annotations });
  const inbound = inboundOf(read, inputs, facts);
  const networkGateway = gatewayOf(read, inputs, network);
  const { clusterId, node, services } = facts;
  const ofNode = node === "" ? [] : [nodeWhole(clusterId, node)];
  const partOf = [...services.map(({ service }) => service), ...ofNode];
  const message = workloadMessage({
    ...facts,
    ...(waypoint?.service === undefined ? {} : { waypoint: gatewayAddress(waypoint.service) }),
    ...(networkGateway === undefined ? {} : { networkGateway }),
    ...(inbound === undefined ? {} : { inbound }),
    policies: policiesOf(read, inputs, facts, waypoint),
  });
  return { message, aliases: addressTexts(network, facts.addresses), partOf };
}

function inboundOf(read: Read, { waypoints }: AmbientTables, { namespace, labels }: Facts) {
  const name = labels[GATEWAY_NAME_LABEL] ?? "";
  return name === "" ? undefined : read.get(waypoints.waypoint, { namespace, name })?.inbound;
}

function gatewayOf(
  read: Read,
  { networks }: AmbientTables,
  network: string,
): GatewayAddress | undefined {
  if (network === "") return undefined;
  const gateway = read.get(networks.gateways, network).find(({ address }) => isIp(address));
  return gateway && entranceAddress(gateway);
}

function policiesOf(
  read: Read,
  { policies, waypoints, allowWaypoints }: AmbientTables,
  { namespace, labels, services }: Facts,
  waypoint: Waypoint | undefined,
): readonly string[] {
  const own = read.get(policies.ofWorkload, { role: "sidecar", namespace, labels });
  if (!allowWaypoints) return own;
  const bound: ObjectKey[] = [
    waypoint,
    ...services.map(({ service }) =>
      read.get(waypoints.ofService, serviceKeys.decode(service)).waypoint
    ),
  ].filter((one) => one !== undefined);
  return [...new Set([...own, ...bound.map(allowPolicyName)])].sort();
}

/** The services that select a workload by labels, sorted. */
function servicesOf(read: Read, { indexes }: AmbientTables, row: Row): ServedPorts[] {
  const { namespace } = row.meta;
  const labels = workloadLabels(row);
  const { cluster } = row.meta.origin;
  const isPod = row.pod !== undefined;
  const workload = { labels, cluster, ports: row.ambient?.ports ?? row.spec.ports, isPod };
  const found = new Map<string, ServedPorts>();
  for (const [label, value] of Object.entries(labels)) {
    for (const text of read.members(indexes.selections, { namespace, label, value })) {
      const selection: Selection = JSON.parse(text);
      const ports = servedBy(selection, workload);
      if (ports === undefined) continue;
      const key: ServiceKey = { namespace, host: selection.host };
      const service = serviceKeys.encode(key);
      if (!found.has(service)) found.set(service, { service, ports });
    }
  }
  return [...found.keys()].sort().map((service) => found.get(service)!);
}
