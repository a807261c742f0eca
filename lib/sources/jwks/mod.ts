/**
 * Keys of token issuers, fetched by this program.
 *
 * @module
 */
export { addressFilter, type Admits } from "./addresses.ts";
export { fetchKeys, type FetchOptions } from "./fetch.ts";
export { type KeySource, type KeySourceOptions, startKeySource } from "./source.ts";
