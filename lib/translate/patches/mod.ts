/**
 * Resources that DataproxyFilters and WasmPlugins change.
 *
 * @module
 */
export { createPatched, type Patched, PATCHED_BY, type PatchFault } from "./patched.ts";
