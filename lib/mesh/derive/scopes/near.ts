/**
 * Nodes and zones of proxies, as far as services prefer endpoints near the client.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { NEAR_LABELS, NODE_LABEL, NODE_LABELS } from "../../model/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";

/** The properties of a proxy that its node is found by. */
export interface NodeSource {
  /** The node that its metadata names (`NODE_NAME`); `undefined` or empty: none. */
  readonly node?: string | undefined;
  readonly ips: readonly string[];
}

/** Labels of the topology that some services compare between client and endpoint. */
export function nearLabels(read: Read, { indexes }: Pick<MeshInputs, "indexes">): string[] {
  const isAny = (bucket: string): boolean =>
    read.any(indexes.nearHosts, bucket) || read.any(indexes.nearNamespaces, bucket);
  const zone = isAny("zone") ? NEAR_LABELS : [];
  if (!isAny("node")) return [...zone];
  return zone.length > 0 ? [...NODE_LABELS] : [NODE_LABEL];
}

/** Hosts of services whose endpoints depend on the zone or the node of the client. */
export function nearHosts(read: Read, { indexes }: Pick<MeshInputs, "indexes">): string[] {
  return [
    ...read.members(indexes.nearHosts, "all"),
    ...read.members(indexes.nearNamespaces, "all")
      .flatMap((namespace) => read.members(indexes.hostsByNamespace, namespace)),
  ];
}

/**
 * The node of a proxy: the one that its metadata names, otherwise that of the pod or endpoint with its
 * address. `undefined`: it is unknown.
 */
export function nodeOf(
  read: Read,
  { tables, indexes }: Pick<MeshInputs, "tables" | "indexes">,
  { node, ips }: NodeSource,
): string | undefined {
  if (node !== undefined && node !== "") return node;
  for (const address of ips) {
    for (const key of read.members(indexes.workloadsByAddress, address)) {
      const found = read.get(tables.workloadEntries, key)?.pod?.node;
      if (found) return found;
    }
    for (const key of read.members(indexes.entriesByAddress, address)) {
      const row = read.get(tables.serviceEntries, key);
      const at = row?.spec.endpoints.findIndex((endpoint) => endpoint.address === address);
      const found = at === undefined ? undefined : row?.service?.endpoints[at]?.node;
      if (found) return found;
    }
  }
  return undefined;
}
