/**
 * The choice of the objects that an uninstallation removes.
 *
 * @module
 */
import type { OrchClient, OrchObject } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { TAG_LABEL } from "../revision_tags/mod.ts";
import { forEach } from "./each.ts";
import type { Kinds } from "./kinds.ts";
import {
  BASE,
  COMPONENT_LABEL,
  identityOf,
  type Installation,
  isShared,
  OWNER_LABEL,
  PLUGIN,
  VERSION_LABEL,
} from "./plan.ts";
import { type Found, objectsOf } from "./prune.ts";
import { webhooksOf } from "./served_webhooks.ts";

/** The scope of a removal. */
export type Scope =
  | { readonly kind: "revision"; readonly revision: string }
  | { readonly kind: "objects"; readonly installation: Installation }
  | { readonly kind: "purge" };

/**
 * The objects to remove. What all revisions share stays, but for a purge; the network plugin goes with
 * the last revision, or with a file that has it if no other revision is there. Objects that another
 * object owns go with it.
 *
 * @param found objects of installations, and tags
 */
export function removable(found: readonly Found[], scope: Scope): Found[] {
  const own = found.filter(({ object: { kind, metadata } }) =>
    kind !== "Endpoints" && (metadata.ownerReferences ?? []).length === 0 &&
    metadata.deletionTimestamp === undefined
  );
  if (scope.kind === "purge") return own;
  const isOf = (revision: string) => ({ object: { metadata: { labels = {} } } }: Found): boolean =>
    labels[COMPONENT_LABEL] === PLUGIN
      ? installedRevisions(found).every((one) => one.revision === revision)
      : labels[REVISION_LABEL] === revision && labels[COMPONENT_LABEL] !== BASE;
  if (scope.kind === "revision") return withUnserved(own.filter(isOf(scope.revision)), own);
  const { components, revision } = scope.installation;
  const names = new Set(components.flatMap((one) => one.objects).map(identityOf));
  return own.filter(isOf(revision)).filter(({ object }) => names.has(identityOf(object)));
}

/** Adds configurations of webhooks whose Services go: the API server would refuse what they judge. */
function withUnserved(removed: readonly Found[], all: readonly Found[]): Found[] {
  const services = removed.filter(({ object }) => object.kind === "Service").map(({ object }) =>
    object
  );
  const unserved = all.filter((one) =>
    !removed.includes(one) && webhooksOf([...services, one.object]).length > 0
  );
  return [...removed, ...unserved];
}

/** A revision that is installed. */
export interface InstalledRevision {
  readonly revision: string;
  readonly versions: readonly string[];
}

/** The revisions of installations, without what they share. */
export function installedRevisions(found: readonly Found[]): InstalledRevision[] {
  const revisions = new Map<string, Set<string>>();
  for (const { object: { metadata: { labels = {} } } } of found) {
    const revision = labels[REVISION_LABEL];
    if (revision === undefined || isShared(labels[COMPONENT_LABEL])) continue;
    if (labels[OWNER_LABEL] === undefined) continue;
    const versions = revisions.get(revision) ?? new Set();
    const version = labels[VERSION_LABEL];
    if (version !== undefined) versions.add(version);
    revisions.set(revision, versions);
  }
  return [...revisions].map(([revision, versions]) => ({
    revision,
    versions: [...versions].sort(),
  }))
    .sort((a, b) => a.revision < b.revision ? -1 : 1);
}

/** The objects of all installations of the cluster, of all kinds, and the tags of revisions. */
export async function installedObjects(
  client: OrchClient,
  kinds: Kinds,
): Promise<{ readonly found: readonly Found[]; readonly unread: readonly string[] }> {
  const { types, unread } = await kinds.all();
  const lists = await forEach(types, async (type) => {
    const hasTags = type.kind.endsWith("WebhookConfiguration") ||
      type.kind === "Service" && type.group === "";
    return [
      ...await objectsOf(client, type, OWNER_LABEL),
      ...hasTags ? await objectsOf(client, type, `${TAG_LABEL},!${OWNER_LABEL}`) : [],
    ];
  });
  return { found: lists.flat(), unread };
}

/** The definitions among objects. */
export function isDefinition({ kind }: OrchObject): boolean {
  return kind === "CustomResourceDefinition";
}
