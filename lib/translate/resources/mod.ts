/**
 * Encoded resources, layered tables of them, and named collections.
 *
 * @module
 */
export { collection, copyScope, importedBy, scopeOf } from "./collections.ts";
export { splitKey } from "./keys.ts";
export { type Layered, overlayOf, type Placed } from "./layered.ts";
export { differences, encodeResource, resourceOf, sameResources, tombstone } from "./resource.ts";
export { AGENT_TYPE_URLS, TYPE_URLS } from "../../model/mod.ts";
