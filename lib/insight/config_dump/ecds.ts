import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type JsonMap } from "./json.ts";
import type { Table } from "./table.ts";

/** The section of discovered filters. */
export function ecdsOf({ sections }: Dump): JsonMap {
  const section = sections.get("EcdsConfigDump") ?? {};
  return { ecdsFilters: asMaps(section.ecdsFilters) };
}

/** The table of discovered filters. */
export function ecdsTable(section: JsonMap): Table {
  return {
    head: ["ECDS NAME", "TYPE"],
    rows: asMaps(section.ecdsFilters).map(({ ecdsFilter }) => [
      asText(asMap(ecdsFilter).name),
      asText(at(ecdsFilter, "typedConfig", "@type")).split("/").at(-1) ?? "",
    ]),
  };
}
