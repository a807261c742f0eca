/**
 * Revision tags: names for revisions of the control plane, as configurations of webhooks.
 *
 * @module
 */
export { generateTag, setTag, type TagConflicts } from "./write.ts";
export { listTags } from "./list.ts";
export { removeTag } from "./remove.ts";
export { defaultValidator, type Tag, tagConfiguration } from "./tag_objects.ts";
