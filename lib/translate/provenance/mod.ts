/**
 * Why resources are as they are.
 *
 * @module
 */
export { copyScope, importedBy } from "./imports.ts";
export {
  type FieldGroup,
  listen,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  type ProvenanceQuestion,
  type Suspect,
  suspectsOf,
} from "./provenance.ts";
