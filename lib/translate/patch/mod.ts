/**
 * Changes of resources that were made: DataproxyFilters and WasmPlugins.
 *
 * @module
 */
export {
  addedResources,
  changedResource,
  type Hear,
  type Note,
  type PatchedType,
} from "./apply.ts";
export { type Changes, deriveChanges } from "./change.ts";
