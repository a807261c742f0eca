/**
 * Label selectors of the orchestrator: `matchLabels` and `matchExpressions`.
 *
 * @module
 */
import { hasLabels, meetsRequirement } from "../../mesh/model/mod.ts";
import type { Labels } from "./workload_indexes.ts";
import { isPlainMap, listAt, mapAt, textAt, textsOf } from "./plain.ts";

/** True when a selector selects labels. An absent or empty selector selects everything. */
export function selectorMatches(selector: unknown, labels: Labels): boolean {
  if (!isPlainMap(selector)) return true;
  return hasLabels(labels, textsOf(mapAt(selector, "matchLabels"))) &&
    listAt(selector, "matchExpressions").every((one) =>
      meetsRequirement(labels, {
        key: textAt(one, "key"),
        operator: textAt(one, "operator"),
        values: listAt(one, "values").filter((value) => typeof value === "string"),
      })
    );
}
