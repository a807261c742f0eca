import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type JsonMap } from "./json.ts";
import { clusterNameParts, compareClusters, objectBehind } from "./names.ts";
import type { Table } from "./table.ts";

/** Selection of clusters; empty values select all. */
export interface ClusterFilter {
  readonly fqdn: string;
  readonly direction: string;
  readonly subset: string;
  readonly port: number;
}

/** The clusters of a dump, static ones last, in the order of their hosts and ports. */
export function clustersOf({ sections }: Dump, filter: ClusterFilter): readonly JsonMap[] {
  const section = sections.get("ClustersConfigDump") ?? {};
  const all = [
    ...asMaps(section.dynamicActiveClusters),
    ...asMaps(section.dynamicWarmingClusters),
    ...asMaps(section.staticClusters),
  ].map((entry) => asMap(entry.cluster));
  return all.filter((cluster) => matches(nameOf(cluster), filter))
    .toSorted((a, b) => compareClusters(nameOf(a), nameOf(b)));
}

function matches(name: string, { fqdn, direction, subset, port }: ClusterFilter): boolean {
  if (fqdn === "" && direction === "" && subset === "" && port === 0) return true;
  const parts = clusterNameParts(name);
  if (parts === undefined) return fqdn !== "" && name === fqdn;
  return (fqdn === "" || parts.host === fqdn || parts.host.startsWith(`${fqdn}.`)) &&
    (direction === "" || parts.direction === direction) &&
    (subset === "" || parts.subset === subset) &&
    (port === 0 || parts.port === String(port));
}

function nameOf(cluster: JsonMap): string {
  return asText(cluster.name);
}

export function clusterTable(clusters: readonly JsonMap[]): Table {
  return {
    head: ["SERVICE FQDN", "PORT", "SUBSET", "DIRECTION", "TYPE", "DESTINATION RULE"],
    rows: clusters.map((cluster) => {
      const name = nameOf(cluster);
      const type = asText(cluster.type) || asText(at(cluster, "clusterType", "name")) || "STATIC";
      const parts = clusterNameParts(name);
      if (parts === undefined) return [name, "-", "-", "-", type, objectBehind(cluster)];
      const { host, port, subset, direction } = parts;
      return [host, port, subset || "-", direction, type, objectBehind(cluster)];
    }),
  };
}
