/**
 * Revision tags. A tag is a configuration of mutating webhooks, or a Service in the namespace of
 * the daemon, with the labels `mesh.io/tag=TAG` and `mesh.io/rev=REVISION`.
 *
 * @module
 */
import { REVISION_LABEL } from "../../model/mod.ts";
import {
  follow,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  type ResourceType,
  trimmed,
  types,
} from "../../../kit/orch/mod.ts";

const TAG_LABEL = "mesh.io/tag";
/** Configurations that another tag of the same name has replaced. */
const DEACTIVATED_LABEL = "mesh.io/deactivated";

/** An object that may be a tag. */
export type TagItem = Pick<ListItem, "metadata">;

/** Objects that may be tags. */
export interface TagItems {
  readonly services: readonly TagItem[];
  readonly webhooks: readonly TagItem[];
}

/** Revisions by the name of a tag. */
export type RevisionTags = ReadonlyMap<string, string>;

export interface FollowedTags {
  /** The tags. While the server cannot be reached, the last known ones stay. */
  current(): RevisionTags;
  /** Resolves when all tags are known. */
  readonly synced: Promise<void>;
  /** Calls back after changes; returns a function that ends this. */
  onChange(changed: () => void): () => void;
  close(): Promise<void>;
}

/** Settings of {@link followRevisionTags}. */
export interface TagOptions {
  readonly client: OrchClient;
  /** Namespace of Services that are tags. */
  readonly namespace: string;
  readonly timing?: Partial<FollowTiming>;
}

/**
 * The revision of each tag. Services precede webhook configurations; of several objects of one
 * kind, the first name decides.
 */
export function revisionTags({ services, webhooks }: TagItems): RevisionTags {
  return new Map([...tagsIn(webhooks), ...tagsIn(services)]);
}

function tagsIn(items: readonly TagItem[]): [tag: string, revision: string][] {
  return items.filter(({ metadata: { labels = {}, deletionTimestamp } }) =>
    Boolean(labels[TAG_LABEL]) && Boolean(labels[REVISION_LABEL]) &&
    !(DEACTIVATED_LABEL in labels) && deletionTimestamp === undefined
  ).sort((a, b) => a.metadata.name < b.metadata.name ? 1 : -1)
    .map(({ metadata: { labels = {} } }) => [labels[TAG_LABEL]!, labels[REVISION_LABEL]!]);
}

export function followRevisionTags({ client, namespace, timing }: TagOptions): FollowedTags {
  let current: RevisionTags = new Map();
  const listeners = new Set<() => void>();
  const followed = (type: ResourceType) =>
    follow<TagItem>({
      client,
      type,
      selection: { ...(type.namespaced ? { namespace } : {}), labelSelector: TAG_LABEL },
      convert: (item) => ({ metadata: trimmed(item).metadata }),
      changed: () => update(),
      ...(timing === undefined ? {} : { timing }),
    });
  const services = followed(types.SERVICE);
  const webhooks = followed(types.MUTATING_WEBHOOKS);
  function update(): void {
    current = revisionTags({ services: services.values(), webhooks: webhooks.values() });
    for (const changed of listeners) changed();
  }
  return {
    current: () => current,
    synced: Promise.all([services.synced, webhooks.synced]).then(() => undefined),
    onChange(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    async close() {
      await Promise.all([services.close(), webhooks.close()]);
    },
  };
}

/** Reports if a revision label names a revision, or a tag that points to it. No label is each revision's. */
export function isOfRevision(label: unknown, revision: string, tags: RevisionTags): boolean {
  if (label === undefined || label === "" || label === revision) return true;
  return typeof label === "string" && tags.get(label) === revision;
}
