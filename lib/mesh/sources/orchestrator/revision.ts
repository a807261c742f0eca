/**
 * Selection of custom resources by the revision that their labels name.
 *
 * @module
 */
import type { ObjectMeta } from "../../model/mod.ts";

/** The revision of a daemon. Objects of other revisions are not read. */
export interface RevisionSelection {
  /** True for labels of objects that the daemon reads. */
  isOwn(labels: ObjectMeta["labels"]): boolean;
  /** Resolves when the tags of revisions are known. */
  readonly synced: Promise<void>;
  /** Calls back after changes of the tags; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}
