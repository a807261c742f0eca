/**
 * Label selectors of the orchestrator: `matchLabels` and `matchExpressions`.
 *
 * @module
 */
import { hasLabels } from "../model/mod.ts";
import type { Labels } from "./indexes.ts";
import { isPlainMap, listAt, mapAt, textAt, textsOf } from "./plain.ts";

/** True when a selector selects labels. An absent or empty selector selects everything. */
export function selectorMatches(selector: unknown, labels: Labels): boolean {
  if (!isPlainMap(selector)) return true;
  return hasLabels(labels, textsOf(mapAt(selector, "matchLabels"))) &&
    listAt(selector, "matchExpressions").every((one) => expressionMatches(one, labels));
}

function expressionMatches(expression: unknown, labels: Labels): boolean {
  const key = textAt(expression, "key");
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const values = listAt(expression, "values");
  switch (textAt(expression, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
