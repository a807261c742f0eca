/**
 * Subsets that VirtualServices name: a DestinationRule defines them.
 *
 * @module
 */
import { coveringPatterns, fullHost } from "../../../mesh/model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";
import { destinationsWithPaths } from "../references.ts";

/** A route or mirror to a subset that no DestinationRule of the host has. */
export const DESTINATION_SUBSET: Analyzer<"VirtualService"> = {
  name: "virtualservice.DestinationRuleAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0101"],
  *analyze(context, { meta, spec }) {
    for (const { destination: { host, subset }, path } of destinationsWithPaths(spec)) {
      if (subset === "") continue;
      const known = subsetsOf(context, fullHost(host, meta.namespace, context.mesh.domain));
      if (known.has(subset)) continue;
      const hint = known.size === 0
        ? `Define it by a DestinationRule for host ${host}.`
        : `Use a subset that a DestinationRule defines: ${[...known].sort().join(", ")}.`;
      yield {
        code: "MSH0101",
        args: ["subset", `${host}/${subset}`],
        path: `${path}.subset`,
        remedy: hint,
      };
    }
  },
};

/** Names of the subsets that DestinationRules define for a host or a pattern that covers it. */
function subsetsOf({ read, mesh }: Context, host: string): Set<string> {
  const names = new Set<string>();
  for (const pattern of [host, ...coveringPatterns(host)]) {
    const keys = read.members(mesh.indexes.rulesByHost, pattern);
    for (const { spec } of rowsOf(read, mesh.tables.destinationRules, keys)) {
      for (const { name } of spec.subsets) names.add(name);
    }
  }
  return names;
}
