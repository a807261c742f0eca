/**
 * Encoded resources, layered tables of them, and named collections.
 *
 * @module
 */
export {
  collection,
  copyScope,
  importedBy,
  namedCollection,
  scopeOf,
  specOf,
} from "./collections.ts";
export { splitKey } from "./keys.ts";
export { type Layered, overlayOf, type Placed } from "./layered.ts";
export { differences, encodeResource, resourceOf, sameResources, tombstone } from "./resource.ts";
export { SHORT_NAMES } from "./short_names.ts";
export { AGENT_TYPE_URLS, TYPE_URLS } from "./type_urls.ts";
