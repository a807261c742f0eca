/**
 * Strict reading of protobuf JSON by message descriptors: fields by name with suggestions for
 * misspelt ones, scalars, durations, enums.
 *
 * @module
 */
export { fieldNamed, unknownField } from "./field_names.ts";
export { readInto, readIntoInSteps, readMessage, readMessageInSteps } from "./reader.ts";
export { describe, wrongType } from "./scalars.ts";
export { isMap } from "./well_known.ts";
