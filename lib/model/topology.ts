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

/** A locality and a network as labels; unknown parts are left out. */
export function topologyLabels(locality: Locality, network: string): Record<string, string> {
  const labels: Record<string, string> = {};
  if (locality.region !== "") labels[REGION] = locality.region;
  if (locality.zone !== "") labels[ZONE] = locality.zone;
  if (locality.subzone !== "") labels[SUBZONE] = locality.subzone;
  if (network !== "") labels[NETWORK] = network;
  return labels;
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
