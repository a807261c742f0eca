/**
 * Presence of objects. Computations also depend on objects that they looked for and did not find, and
 * on deleted ones.
 *
 * @module
 */
import { parseRowRef, rowRef } from "../../mesh/graph/mod.ts";
import { objectOfRef, objectRef } from "../../mesh/model/mod.ts";
import { isTableKind } from "../../mesh/schema/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** Returns a function that tells if the object of a text `table/key` is in use; other rows are. */
export function objectPresence(
  { objects }: Pick<DebugInputs, "objects">,
): (ref: string) => boolean {
  const present = new Set(objects().map(objectRef));
  return (ref) => {
    const row = parseRowRef(objectOfRef(ref));
    return row === undefined || !isTableKind(row.table) || present.has(rowRef(row));
  };
}
