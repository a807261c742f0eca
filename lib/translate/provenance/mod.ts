/**
 * Provenance: which objects decided the fields of a resource.
 *
 * @module
 */
export { type CulpritObject, culpritsIn } from "./culprits.ts";
export { createExplained, type Explainable } from "./explained.ts";
export {
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  suspectsOf,
} from "./provenance.ts";
