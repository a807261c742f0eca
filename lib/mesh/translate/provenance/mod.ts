/**
 * Provenance: which objects decided the fields of a resource, explained resources for proxies that
 * ask for them, and the objects behind a rejected resource (culprits).
 *
 * @module
 */
export { type CulpritObject, culpritsIn } from "./culprits.ts";
export { createExplained, type Explainable } from "./explained_layers.ts";
export {
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  suspectsOf,
} from "./provenance.ts";
