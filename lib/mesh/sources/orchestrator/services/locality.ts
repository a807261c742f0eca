/**
 * Localities of endpoints: from labels of pods and of their nodes.
 *
 * @module
 */
import { localityFromLabels } from "../../../model/mod.ts";
import type { ApiNode, NodeFacts, PodFacts } from "./api.ts";

/** The facts of a node that endpoints have. */
export function nodeFacts({ metadata: { name, labels = {} }, status }: ApiNode): NodeFacts {
  return {
    name,
    region: labels["topology.kubernetes.io/region"] ?? "",
    zone: labels["topology.kubernetes.io/zone"] ?? "",
    subzone: labels["topology.mesh.io/subzone"] ?? "",
    labels,
    addresses: (status?.addresses ?? []).filter(({ type }) => type === "ExternalIP")
      .map(({ address }) => address),
  };
}

/** Labels of the pod decide, then the node, as `region/zone/subzone`. */
export function localityAt(
  pod: PodFacts | undefined,
  node: NodeFacts | undefined,
  zone: string = "",
): string {
  const declared = localityFromLabels(pod?.labels ?? {});
  if (declared !== "") return declared;
  return [node?.region ?? "", node?.zone || zone, node?.subzone ?? ""].join("/")
    .replace(/\/+$/, "");
}
