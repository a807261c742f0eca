/**
 * Derived layers with resources that DataproxyFilters and WasmPlugins change, and the report of
 * patches that do not apply.
 *
 * @module
 */
export { createPatched, type Parent, type Patched, PATCHED_BY } from "./patched_layers.ts";
export type { PatchFault } from "./report.ts";
