/**
 * What patches do, as operators are told of it: warnings of those that do not apply, beside those of
 * the configuration's files, and a metric.
 *
 * @module
 */
import { tableOf } from "../../lib/derive/mod.ts";
import { declareEnv } from "../../lib/env/mod.ts";
import { gauge } from "../../lib/metrics/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import type { PatchFault, Translation } from "../../lib/translate/mod.ts";

const PILOT_DATAPROXY_FILTER_STATS = declareEnv({
  name: "PILOT_DATAPROXY_FILTER_STATS",
  type: "bool",
  default: false,
  doc: "Count the resources that DataproxyFilters apply to, and those they cannot apply to.",
  readers: ["pilot-discovery"],
});

/** Registers the metric, which has values while its variable is on. */
export function observePatches({ patches }: Pick<Translation, "patches">): void {
  gauge({
    name: "pilot_dataproxy_filter_status",
    help: "Resources that DataproxyFilters apply to, or cannot apply to, by type.",
    labels: ["name", "type", "result"],
    collect: (status) => {
      if (!PILOT_DATAPROXY_FILTER_STATS.get()) return;
      for (const { object, type, applied, failed } of patches.counts()) {
        const [kind, namespace, name] = object.split("/");
        if (kind !== "DataproxyFilter") continue;
        const labels = { name: `${namespace}/${name}`, type };
        status.set({ ...labels, result: "applied" }, applied);
        status.set({ ...labels, result: "failed" }, failed);
      }
    },
  });
}

/** How many resources of one patch are named. */
const NAMED = 3;

/** A warning for each patch that does not apply to all it should. */
export function patchWarnings({ mesh, patches }: Translation): SchemaProblem[] {
  const byPatch = new Map<string, PatchFault[]>();
  for (const fault of patches.faults()) {
    const key = `${fault.object} ${fault.field}`;
    byPatch.set(key, [...byPatch.get(key) ?? [], fault]);
  }
  return [...byPatch.values()].map((faults) => {
    const [{ object, field, message }] = faults as [PatchFault];
    const [kind = "", namespace = "", name = ""] = object.split("/");
    const table = kind === "WasmPlugin" ? "WasmPlugin" : "DataproxyFilter";
    const origin = tableOf(mesh.tables, table).peek(`${namespace}/${name}`)?.meta.origin;
    const resources = [...new Set(faults.map(({ type, resource }) => `${type} ${resource}`))];
    const more = resources.length > NAMED ? ` and ${resources.length - NAMED} more` : "";
    return {
      file: origin?.file ?? origin?.source ?? "",
      line: origin?.line ?? 1,
      column: 1,
      path: field,
      code: "patch-left-out",
      message: `left out of ${resources.slice(0, NAMED).join(", ")}${more}: ${message}`,
      remedy: "Mend the value, or narrow the match.",
      object: { kind, namespace, name },
    };
  });
}
