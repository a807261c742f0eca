/**
 * Comparing objects: by age, by labels.
 *
 * @module
 */
import { type ConfigObject, objectKey } from "../model/mod.ts";
import type { Labels } from "./keys.ts";

/** Oldest first; objects without an age after those with one; then by namespace and name. */
export function byAge(a: ConfigObject, b: ConfigObject): number {
  const age = (a.meta.creationTime || Infinity) - (b.meta.creationTime || Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  const [ka, kb] = [objectKey(a.meta), objectKey(b.meta)];
  return ka < kb ? -1 : ka > kb ? 1 : 0;
}

/** Whether `labels` has every pair of `selector`. */
export function hasLabels(labels: Labels, selector: Labels): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}
