/**
 * DataproxyFilters and WasmPlugins: warnings about patches that do not apply, and a metric.
 *
 * @module
 */
import { parseRowRef } from "../../mesh/graph/mod.ts";
import { gauge } from "../../kit/metrics/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { PatchFault, Translation } from "../../mesh/translate/mod.ts";
import { warningAt } from "./positions.ts";
import { PILOT_DATAPROXY_FILTER_STATS } from "./variables.ts";

/** Registers the metric. It has values only while its variable is true. */
export function observePatches({ patches }: Pick<Translation, "patches">): void {
  gauge({
    name: "pilot_dataproxy_filter_status",
    help: "Resources that DataproxyFilters apply to, or cannot apply to, by type.",
    labels: ["name", "type", "result"],
    collect: (status) => {
      if (!PILOT_DATAPROXY_FILTER_STATS.get()) return;
      for (const { object, type, applied, failed } of patches.counts()) {
        const row = parseRowRef(object);
        if (row?.table !== "DataproxyFilter") continue;
        const labels = { name: row.key, type };
        status.set({ ...labels, result: "applied" }, applied);
        status.set({ ...labels, result: "failed" }, failed);
      }
    },
  });
}

/** Number of resources that a warning names. */
const NAMED = 3;

/** A warning for each patch that does not apply to all resources that it selects. */
export function patchWarnings(
  { mesh, patches }: Pick<Translation, "mesh" | "patches">,
): SchemaProblem[] {
  const byPatch = Map.groupBy(patches.faults(), ({ object, field }) => `${object} ${field}`);
  return [...byPatch.values()].map((faults) => {
    const [{ object, field, message }] = faults as [PatchFault];
    const resources = [...new Set(faults.map(({ type, resource }) => `${type} ${resource}`))];
    const more = resources.length > NAMED ? ` and ${resources.length - NAMED} more` : "";
    return warningAt(mesh, {
      object,
      path: field,
      code: "patch-left-out",
      message: `left out of ${resources.slice(0, NAMED).join(", ")}${more}: ${message}`,
      remedy: "Correct the value, or narrow the match.",
    });
  });
}
