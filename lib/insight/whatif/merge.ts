/**
 * Changes of several classes, joined.
 *
 * @module
 */
import type { Pace } from "./pace.ts";
import type { AffectedClass, ResourcePrediction } from "./prediction.ts";

/** A class with the changes of its resources. */
export interface FoundClass {
  readonly affected: AffectedClass;
  readonly resources: readonly ClassChange[];
}

/** A change, as one class has it. */
export type ClassChange = Omit<ResourcePrediction, "classes">;

/** Joins the equal changes of several classes. */
export async function mergeChanges(
  found: readonly FoundClass[],
  pace: Pace,
): Promise<ResourcePrediction[]> {
  const merged = new Map<string, ClassChange & { classes: number[]; holders: number }>();
  for (const [index, { resources }] of found.entries()) {
    for (const change of resources) {
      const id = changeId(change.typeUrl, change.name, change.versions);
      const same = merged.get(id);
      if (same === undefined) {
        merged.set(id, { ...change, classes: [index] });
      } else {
        same.classes.push(index);
        same.holders += change.holders;
      }
      await pace.pause();
    }
  }
  return [...merged.values()].sort((a, b) =>
    compareIndices(a.classes, b.classes) || compareText(a.typeUrl, b.typeUrl) ||
    compareText(a.name, b.name)
  );
}

/** Identifies a change: equal ones have the same type, name and versions. */
export function changeId(
  typeUrl: string,
  name: string,
  { before, after }: ResourcePrediction["versions"],
): string {
  return [typeUrl, name, before, after].join("\n");
}

function compareIndices(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((index, i) => index !== b[i]);
  return at === -1 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
