import { isMap } from "../../kit/template/mod.ts";
import type { JsonObject } from "./types.ts";

/**
 * The values of a user over those of a chart, as Helm merges them: maps are merged, everything else
 * is replaced, `null` removes a value of the chart. The result shares nothing with the inputs.
 */
export function mergedValues(defaults: JsonObject, given: JsonObject): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(given, name)) merged[name] = copied(value);
  }
  for (const [name, value] of Object.entries(given)) {
    const below = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    if (value === null && below !== undefined) continue;
    merged[name] = isMap(value) && isMap(below) ? mergedValues(below, value) : copied(value);
  }
  return merged;
}

/** A copy of a JSON value. */
export function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}
