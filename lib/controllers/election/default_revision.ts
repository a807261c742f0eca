/**
 * The default revision of the mesh: that to which the revision tag `default` points. A tag is a
 * configuration of mutating webhooks, or a Service in the namespace of the daemon, with the labels
 * `mesh.io/tag=TAG` and `mesh.io/rev=REVISION`.
 *
 * @module
 */
import { scope } from "../../log/mod.ts";
import {
  follow,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  type ResourceType,
  trimmed,
  types,
} from "../../orch/mod.ts";

const log = scope("controllers");

const TAG_LABEL = "mesh.io/tag";
const REVISION_LABEL = "mesh.io/rev";
/** Configurations that another default tag has replaced. */
const DEACTIVATED_LABEL = "mesh.io/deactivated";
const DEFAULT_TAG = "default";

/** An object that may be a tag. */
export type TagItem = Pick<ListItem, "metadata">;

/** The followed default revision. */
export interface DefaultRevision {
  /** The default revision; empty: no tag names one. */
  current(): string;
  close(): Promise<void>;
}

/** Settings of {@link followDefaultRevision}. */
export interface DefaultRevisionOptions {
  readonly client: OrchClient;
  /** Namespace of Services that are tags. */
  readonly namespace: string;
  readonly timing?: Partial<FollowTiming>;
}

/**
 * The revision of the tag `default`; empty: there is no such tag. Services precede webhook
 * configurations; of several objects of one kind, the first name decides.
 */
export function defaultRevisionOf(
  { services, webhooks }: {
    readonly services: readonly TagItem[];
    readonly webhooks: readonly TagItem[];
  },
): string {
  return revisionIn(services) ?? revisionIn(webhooks) ?? "";
}

function revisionIn(items: readonly TagItem[]): string | undefined {
  const [first] = items.filter(({ metadata: { labels = {}, deletionTimestamp } }) =>
    labels[TAG_LABEL] === DEFAULT_TAG && (labels[REVISION_LABEL] ?? "") !== "" &&
    !(DEACTIVATED_LABEL in labels) && deletionTimestamp === undefined
  ).sort((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
  return first?.metadata.labels?.[REVISION_LABEL];
}

/** Follows the tag. While the server cannot be reached, the last known revision stays. */
export function followDefaultRevision(
  { client, namespace, timing }: DefaultRevisionOptions,
): DefaultRevision {
  let current = "";
  const labelSelector = `${TAG_LABEL}=${DEFAULT_TAG}`;
  const followed = (type: ResourceType) =>
    follow<TagItem>({
      client,
      type,
      selection: type.namespaced ? { namespace, labelSelector } : { labelSelector },
      convert: (item) => ({ metadata: trimmed(item).metadata }),
      changed: () => update(),
      ...(timing === undefined ? {} : { timing }),
    });
  const services = followed(types.SERVICE);
  const webhooks = followed(types.MUTATING_WEBHOOKS);
  function update(): void {
    const next = defaultRevisionOf({ services: services.values(), webhooks: webhooks.values() });
    if (next === current) return;
    log.info("the default revision changed", { from: current, to: next });
    current = next;
  }
  return {
    current: () => current,
    async close() {
      await Promise.all([services.close(), webhooks.close()]);
    },
  };
}
