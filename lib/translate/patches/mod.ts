/**
 * Resources that DataproxyFilters and WasmPlugins change.
 *
 * @module
 */
export { createPatched, type Patched, PATCHED_BY } from "./patched_layers.ts";
export type { PatchFault } from "./report.ts";
