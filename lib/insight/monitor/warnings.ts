/**
 * All warnings about the mesh as a whole. Those about single documents come from the sources.
 *
 * @module
 */
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { Features, Translation } from "../../mesh/translate/mod.ts";
import { conflictWarnings } from "./conflicts.ts";
import { disabledWarnings } from "./disabled.ts";
import { keyWarnings } from "./keys.ts";
import { patchWarnings } from "./patches.ts";
import { providerWarnings } from "./providers.ts";
import { shadowWarnings } from "./shadowed.ts";

/** Warnings about conflicts, providers, keys, shadowed objects, disabled settings, and patches. */
export function meshWarnings(translation: Translation, features: Features): SchemaProblem[] {
  return [
    ...conflictWarnings(translation, features.scopeGatewayToNamespace),
    ...providerWarnings(translation),
    ...keyWarnings(translation),
    ...shadowWarnings(translation),
    ...disabledWarnings(translation, features),
    ...patchWarnings(translation),
  ];
}
