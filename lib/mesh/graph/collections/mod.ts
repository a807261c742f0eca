/**
 * Collections of named resources with change logs, and views: layers of collections with
 * tombstones.
 *
 * @module
 */
export { attempt } from "./ahead.ts";
export { trimLogs } from "./change_log.ts";
export { Claims, Content, distinct, replaceClaims, sameResource } from "./claims.ts";
export { type BuildStep, CollectionStore, LiveCollection, MemberHome } from "./collection.ts";
export { sourcesAhead } from "./members.ts";
export { type AnySpec, recipeOf, sourcesOf } from "./recipe.ts";
export { settle, unbuild } from "./settle.ts";
export { LayeredView } from "./view.ts";
