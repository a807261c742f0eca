/**
 * Changes of built messages: patches of DataproxyFilters (merge, add, insert, replace, remove) and
 * the filters of WasmPlugins, with the position of a filter in its list.
 *
 * @module
 */
export type { Change, Changes, Patch, Plugin } from "./change.ts";
export { additionOf, type Editor, EDITORS, type PatchedType } from "./editors.ts";
export { pullSecretOf } from "./plugins.ts";
