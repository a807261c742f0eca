/**
 * Operations of DataproxyFilters.
 *
 * @module
 */
import {
  DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectPatch as Patch,
  DataproxyFilter_Patch_Operation as Operation,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Analyzer } from "../analyzer.ts";
import type { Code } from "../codes.ts";

/** Patches that are ignored, or whose effect depends on other patches. */
export const PATCH_OPERATIONS: Analyzer<"DataproxyFilter"> = {
  name: "dataproxyfilter.DataproxyPatchAnalyzer",
  kinds: ["DataproxyFilter"],
  codes: ["MSH0151", "MSH0152", "MSH0153", "MSH0154", "MSH0155"],
  *analyze(_context, { spec }) {
    for (const [at, patch] of spec.configPatches.entries()) {
      const code = faultOf(patch, spec.priority);
      if (code === undefined) continue;
      yield { code, args: [], path: `spec.configPatches[${at}].patch.operation` };
    }
  },
};

const ROUTES: readonly ApplyTo[] = [ApplyTo.ROUTE_CONFIGURATION, ApplyTo.HTTP_ROUTE];
const FILTERS: readonly ApplyTo[] = [ApplyTo.HTTP_FILTER, ApplyTo.NETWORK_FILTER];
/** Operations whose result depends on patches that were applied before. */
const RELATIVE: readonly Operation[] = [
  Operation.INSERT_AFTER,
  Operation.INSERT_BEFORE,
  Operation.REMOVE,
  Operation.REPLACE,
];

function faultOf({ applyTo, match, patch }: Patch, priority: number): Code | undefined {
  const operation = patch?.operation ?? Operation.INVALID;
  if (operation === Operation.ADD && ROUTES.includes(applyTo)) return "MSH0153";
  if (operation === Operation.REMOVE && ROUTES.includes(applyTo)) return "MSH0154";
  if (operation === Operation.REPLACE && !FILTERS.includes(applyTo)) return "MSH0152";
  if (!RELATIVE.includes(operation) || priority !== 0) return undefined;
  return (match?.proxy?.proxyVersion ?? "") === "" ? "MSH0151" : "MSH0155";
}
