/**
 * What this program fetches from elsewhere: keys of token issuers, and authorities of other trust
 * domains.
 *
 * @module
 */
export { addressFilter, type Admits } from "./addresses.ts";
export { type BundleSourceOptions, fetchBundle, readBundle, startBundleSource } from "./bundles.ts";
export { type FetchOptions } from "./fetch.ts";
export { fetchKeys, type KeySource, type KeySourceOptions, startKeySource } from "./keys.ts";
export { type Fetched, type Fetching } from "./source.ts";
