/**
 * Provenance: which objects decided the fields of a resource.
 *
 * @module
 */
export { createExplained, type Explainable } from "./explained_layers.ts";
export { type CulpritObject, culpritsIn } from "./culprits.ts";
export {
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  suspectsOf,
} from "./provenance.ts";
