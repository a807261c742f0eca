/**
 * Warnings about rules for tokens whose keys are not known.
 *
 * @module
 */
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import { type Translation, unknownKeys } from "../../mesh/translate/mod.ts";
import { unlessFaulty, warningAt } from "./positions.ts";

/** A warning for each such rule, at the position of its object. */
export function keyWarnings(
  { mesh, wantedKeySets }: Pick<Translation, "mesh" | "wantedKeySets">,
): SchemaProblem[] {
  return unlessFaulty(() => {
    const wanted = wantedKeySets(() => {});
    wanted.close();
    return unknownKeys(mesh, wanted.value);
  }, []).map(({ object, field, message, remedy }) =>
    warningAt(mesh, { object, path: field, code: "unknown-keys", message, remedy })
  );
}
