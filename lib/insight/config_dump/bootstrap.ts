import type { Dump } from "./dump.ts";
import { asMap, asText, at, type JsonMap } from "./json.ts";

/** The bootstrap section: `bootstrap` and `lastUpdated`. */
export function bootstrapOf({ sections }: Dump): JsonMap | undefined {
  const section = sections.get("BootstrapConfigDump");
  if (section === undefined) return undefined;
  const { "@type": _, ...rest } = section;
  return rest;
}

/** The versions in a bootstrap section. */
export function bootstrapText(section: JsonMap): string {
  const node = asMap(at(section, "bootstrap", "node"));
  const version = asMap(at(node, "userAgentBuildVersion", "version"));
  const parts = [version.majorNumber ?? 0, version.minorNumber ?? 0, version.patch ?? 0];
  const own = asMap(node.metadata);
  const rows = [
    ["Mesh Version:", asText(own.MESH_VERSION)],
    ["Mesh Proxy Version:", asText(own.MESH_PROXY_SHA) || asText(own.MESH_PROXY_VERSION)],
    ["Dataproxy Version:", parts.every((part) => part === 0) ? "" : parts.map(asText).join(".")],
  ];
  return rows.map(([label, value]) => `${label} ${value || "unknown"}\n`).join("");
}
