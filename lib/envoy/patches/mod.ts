/**
 * Changes of built messages: patches of DataproxyFilters and filters of WasmPlugins.
 *
 * @module
 */
export type { Change, Changes, Patch, Plugin } from "./change.ts";
export { additionOf, type Editor, EDITORS, type PatchedType } from "./editors.ts";
