/**
 * Definitions of the custom resources, made from the messages of the kinds.
 *
 * @module
 */
export {
  isCustom,
  type ResourceDefinition,
  resourceDefinitions,
  SHORT_NAMES,
} from "./definitions.ts";
export { type Describe, type StructuralSchema, structuralSchema } from "./structural.ts";
