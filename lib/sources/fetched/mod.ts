/**
 * Values that the daemon fetches over the network: key sets, trust bundles, addresses of names.
 *
 * @module
 */
export { addressFilter, type Admits } from "./addresses.ts";
export { type BundleSourceOptions, fetchBundle, readBundle, startBundleSource } from "./bundles.ts";
export { type FetchOptions } from "./fetch.ts";
export { fetchKeys, type KeySourceOptions, startKeySource } from "./keys.ts";
