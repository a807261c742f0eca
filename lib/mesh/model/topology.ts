/**
 * Topology: labels for the locality and network of a workload, gateways of networks.
 *
 * @module
 */
import type { Locality } from "./service.ts";
import type { LocalityLoadBalancerSetting } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";

/** Labels of the topology. They replace labels of a workload with these names. */
const REGION = "topology.kubernetes.io/region";
const ZONE = "topology.kubernetes.io/zone";
const SUBZONE = "topology.mesh.io/subzone";
const NETWORK = "topology.mesh.io/network";
const CLUSTER = "topology.mesh.io/cluster";

/** Label with the name of the node. It replaces labels of a workload with this name. */
export const NODE_LABEL = "kubernetes.io/hostname";

const TOPOLOGY: ReadonlySet<string> = new Set([REGION, ZONE, SUBZONE, NETWORK, CLUSTER]);

/**
 * Labels that clients and endpoints near them share, the most important first, for services that
 * prefer endpoints in the zone of the client.
 */
export const NEAR_LABELS: readonly string[] = [NETWORK, REGION, ZONE];

/** The same for services that prefer endpoints on the node of the client. */
export const NODE_LABELS: readonly string[] = [NETWORK, REGION, ZONE, SUBZONE, NODE_LABEL];

/** Reports if labels have a label of the topology. */
export function hasTopologyLabel(labels: Readonly<Record<string, string>>): boolean {
  return Object.keys(labels).some((key) => TOPOLOGY.has(key));
}

/** The network that labels name; empty: none. */
export function networkLabel(labels: Readonly<Record<string, string>>): string {
  return labels[NETWORK] ?? "";
}

/** Labels with the locality of a workload; the first one that exists is used. */
const LOCALITY_LABELS = ["topology.mesh.io/locality", "mesh-locality"] as const;

/**
 * The locality that labels declare, as `region/zone/subzone`; empty: none. Values of labels cannot
 * contain slashes, so dots separate the parts of a value without slashes.
 */
export function localityFromLabels(labels: Readonly<Record<string, string>>): string {
  const key = LOCALITY_LABELS.find((one) => (labels[one] ?? "") !== "");
  const text = key === undefined ? "" : labels[key]!;
  return text.includes("/") ? text : text.replaceAll(".", "/");
}

/** A locality as `region/zone/subzone`, without empty parts; empty: none. */
export function localityText({ region, zone, subzone }: Locality): string {
  return [region, zone, subzone].filter((one) => one !== "").join("/");
}

/** A locality, a network and a cluster as labels; unknown parts are left out. */
export function topologyLabels(
  locality: Locality,
  network: string,
  cluster: string = "",
): Record<string, string> {
  const labels: Record<string, string> = {};
  if (locality.region !== "") labels[REGION] = locality.region;
  if (locality.zone !== "") labels[ZONE] = locality.zone;
  if (locality.subzone !== "") labels[SUBZONE] = locality.subzone;
  if (network !== "") labels[NETWORK] = network;
  if (cluster !== "") labels[CLUSTER] = cluster;
  return labels;
}

/** The name of a node as a label; none if the node is unknown. */
export function nodeLabels(node: string | undefined): Record<string, string> {
  return node === undefined || node === "" ? {} : { [NODE_LABEL]: node };
}

/** Keys of the labels that a failover priority compares. */
export function failoverLabels(setting: LocalityLoadBalancerSetting | undefined): string[] {
  return setting?.failoverPriority.map((text) => text.split("=")[0] ?? "") ?? [];
}

/** An address at which a network is entered. */
export interface NetworkGateway {
  /** IP address. */
  readonly address: string;
  readonly port: number;
  /** The locality of the gateway; `undefined`: that of the endpoints behind it. */
  readonly locality?: Locality;
}
