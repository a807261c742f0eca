/**
 * Wasm modules for the proxy: fetched from URLs and registries, verified, and kept as files.
 *
 * @module
 */
export { type ModuleRequest, type Modules, type ModulesOptions, openModules } from "./cache.ts";
export { pluginConverter, type PullSecrets } from "./convert.ts";
export { FetchError } from "./request.ts";
export { readWasmEnv, type WasmEnv } from "./variables.ts";
