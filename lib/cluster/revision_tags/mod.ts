/**
 * Revision tags: names for revisions of the control plane, as configurations of webhooks.
 *
 * @module
 */
export { generateTag, setTag, type TagConflicts } from "./write.ts";
export { listTags } from "./list.ts";
export { removeTag } from "./remove.ts";
export { namespacesOf, type TagCluster } from "./existing.ts";
export {
  type Configuration,
  deactivated,
  DEACTIVATED_LABEL,
  DEFAULT_TAG,
  DEFAULT_VALIDATOR,
  defaultValidator,
  isDeactivated,
  isDefaultInjector,
  type Tag,
  TAG_LABEL,
  tagConfiguration,
} from "./tag_objects.ts";
