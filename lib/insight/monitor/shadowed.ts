/**
 * Warnings about objects that have no effect because an older one has their place.
 *
 * @module
 */
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import { shadowedObjects, type Translation } from "../../mesh/translate/mod.ts";
import { unlessFaulty, warningAt } from "./positions.ts";

/** A warning for each such object, at its position. */
export function shadowWarnings({ mesh }: Pick<Translation, "mesh">): SchemaProblem[] {
  return unlessFaulty(() => shadowedObjects(mesh), []).map((
    { object, field, message, remedy },
  ) => warningAt(mesh, { object, path: field, code: "shadowed", message, remedy }));
}
