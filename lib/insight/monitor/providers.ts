/**
 * Warnings about extension providers that objects name and that cannot be used.
 *
 * @module
 */
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import { type Translation, unresolvedProviders } from "../../mesh/translate/mod.ts";
import { unlessFaulty, warningAt } from "./positions.ts";

/** A warning for each such provider, at the position of the object that names it. */
export function providerWarnings({ mesh }: Pick<Translation, "mesh">): SchemaProblem[] {
  return unlessFaulty(() => unresolvedProviders(mesh), []).map((
    { object, field, message, remedy },
  ) => warningAt(mesh, { object, path: field, code: "provider", message, remedy }));
}
