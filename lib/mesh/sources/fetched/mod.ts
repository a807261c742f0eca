/**
 * Values that the daemon fetches over the network: JWT key sets (JWKS) of token issuers, trust
 * bundles, addresses of host names; with limits, allowed addresses and retries.
 *
 * @module
 */
export { addressFilter, type Admits } from "./addresses.ts";
export { type BundleSourceOptions, fetchBundle, readBundle, startBundleSource } from "./bundles.ts";
export { type FetchOptions } from "./fetch.ts";
export { fetchKeys, type KeySourceOptions, startKeySource } from "./keys.ts";
