/**
 * Topology labels: the locality and network of a workload.
 *
 * @module
 */
import type { Locality } from "../model/mod.ts";
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
