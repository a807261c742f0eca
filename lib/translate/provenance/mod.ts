/**
 * Why resources are as they are.
 *
 * @module
 */
export {
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  type ProvenanceQuestion,
  type Suspect,
  suspectsOf,
} from "./provenance.ts";
