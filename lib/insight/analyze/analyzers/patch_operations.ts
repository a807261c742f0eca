/**
 * Operations of DataproxyFilters.
 *
 * @module
 */
import {
  type DataproxyFilter,
  DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectPatch as Patch,
  DataproxyFilter_Patch_Operation as Operation,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { type ConfigObject, objectKey } from "../../../mesh/model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Code } from "../codes.ts";
import { isVersioned, rowsOf } from "../indexes.ts";

/** Patches that are ignored, or whose effect depends on other patches. */
export const PATCH_OPERATIONS: Analyzer<"DataproxyFilter"> = {
  name: "dataproxyfilter.DataproxyPatchAnalyzer",
  kinds: ["DataproxyFilter"],
  codes: ["MSH0151", "MSH0152", "MSH0153", "MSH0154", "MSH0155"],
  *analyze(context, row) {
    const versioned = new Set(versionedBefore(context, row));
    versioned.delete("");
    for (const [at, one] of row.spec.configPatches.entries()) {
      // An entry without a patch ends the check of its object.
      if (one.patch === undefined) return;
      const code = faultOf(one, row.spec.priority, versioned.has(filterOf(one)));
      if (code !== undefined) {
        yield { code, args: [], path: `spec.configPatches[${at}].patch.operation` };
      }
      if (isVersioned(one) && filterOf(one) !== "") versioned.add(filterOf(one));
    }
  },
};

/** Names of filters that patches of DataproxyFilters before this one add for a proxy version. */
function versionedBefore(
  { read, mesh, indexes }: Context,
  { meta }: ConfigObject<DataproxyFilter>,
): string[] {
  const keys = read.members(indexes.versionedFilters, "all");
  return rowsOf(read, mesh.tables.dataproxyFilters, keys)
    .filter((other) => objectKey(other.meta) < objectKey(meta))
    .flatMap(({ spec }) => spec.configPatches.filter(isVersioned).map(filterOf));
}

const ROUTES: readonly ApplyTo[] = [ApplyTo.ROUTE_CONFIGURATION, ApplyTo.HTTP_ROUTE];
const FILTERS: readonly ApplyTo[] = [ApplyTo.HTTP_FILTER, ApplyTo.NETWORK_FILTER];
/** Operations whose result depends on patches that were applied before. */
const RELATIVE: readonly Operation[] = [
  Operation.INSERT_AFTER,
  Operation.INSERT_BEFORE,
  Operation.REMOVE,
  Operation.REPLACE,
];

function faultOf(
  { applyTo, patch }: Patch,
  priority: number,
  dependsOnVersion: boolean,
): Code | undefined {
  const operation = patch?.operation ?? Operation.INVALID;
  if (operation === Operation.ADD && ROUTES.includes(applyTo)) return "MSH0153";
  if (operation === Operation.REMOVE && ROUTES.includes(applyTo)) return "MSH0154";
  if (operation === Operation.REPLACE && !FILTERS.includes(applyTo)) return "MSH0152";
  if (!RELATIVE.includes(operation) || priority !== 0) return undefined;
  return dependsOnVersion ? "MSH0155" : "MSH0151";
}

/** The filter that a patch is about: that of its value, or of its match; empty: none. */
function filterOf({ patch, match }: Patch): string {
  const written = patch?.value?.name;
  if (typeof written === "string" && written !== "") return written;
  return match?.objectTypes.case === "listener"
    ? match.objectTypes.value.filterChain?.filter?.name ?? ""
    : "";
}
