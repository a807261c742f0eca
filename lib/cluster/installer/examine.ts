/**
 * Everything that is asked before an installation writes: rights, namespaces, versions, differences.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { type OrchClient, type OrchObject, type ResourceType, types } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { compareAll, type Comparison, conflictError } from "./compare.ts";
import { leaveToTag, leftToTag, readDefaultTag } from "./default_tag.ts";
import { undefinedKinds } from "./definitions.ts";
import { forEach } from "./each.ts";
import { definedTypes, type Kinds } from "./kinds.ts";
import { missingNamespaces } from "./namespaces.ts";
import { INSTALLED_KINDS } from "./order.ts";
import {
  BASE,
  COMPONENT_LABEL,
  type Installation,
  isShared,
  nameOf,
  VERSION_LABEL,
} from "./plan.ts";
import { type Found, ownedObjects, prunable, removedGateways, removedPlugin } from "./prune.ts";
import { WATCHED_TYPES } from "./readiness.ts";
import { type Place, requireRights, rightsOf } from "./rights.ts";
import { type Skew, skewOf } from "./skew.ts";

/** The result of the examination. */
export interface Examination {
  readonly compared: readonly Comparison[];
  readonly pruned: readonly Found[];
  /** Namespaces that do not exist yet. */
  readonly newNamespaces: ReadonlySet<string>;
  /** The version of the revision that is there; `undefined`: the revision is not installed. */
  readonly installed: string | undefined;
  /** Sentences that users should read before they agree. */
  readonly warnings: readonly string[];
}

/** Settings of an examination. */
export interface ExamineOptions {
  readonly client: OrchClient;
  readonly kinds: Kinds;
  readonly installation: Installation;
  /** True: conflicts and an older version are warnings. */
  readonly force: boolean;
}

/**
 * Examines the cluster. Nothing is written.
 *
 * @throws {MeshError} `install-rights`, `install-namespace`, `install-version`, `install-conflict`,
 * `install-kind`, `install-object`
 */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const { client, kinds, installation, force } = options;
  const objects = installation.components.flatMap((one) => one.objects);
  await requireRights(client, await neededRights(kinds, installation, objects));
  const names = new Set([
    installation.namespace,
    ...installation.components.map(({ namespace }) => namespace),
    ...objects.flatMap(({ metadata: { namespace } }) => namespace ?? []),
  ]);
  const own = new Set(objects.filter(({ kind }) => kind === "Namespace").map(nameOfNamespace));
  const missing = await missingNamespaces(client, [...names].filter((name) => name !== ""));
  const newNamespaces = new Set([...missing].filter((name) => !own.has(name)));
  const owned = await ownedObjects(client, kinds, objects);
  const skews = skewsOf(owned, installation);
  const older = skews.filter(({ kind }) => kind === "older");
  if (older.length > 0 && !force) throw olderError(older);
  const tag = await readDefaultTag(client);
  const compared = await compareAll({
    ...{ client, kinds, missingNamespaces: missing, force },
    objects: leaveToTag(objects, tag),
  });
  const pruned = prunable(owned, installation);
  return {
    compared,
    pruned,
    newNamespaces,
    installed: versionsOf(owned, installation.revision)[0],
    warnings: [
      ...skews.map(({ text }) => text).filter((text) => text !== ""),
      ...await undefinedKinds(kinds, installation),
      ...takenOver(compared, installation.revision),
      ...leftToTag(objects, tag),
      ...removedGateways(pruned),
      ...removedPlugin(pruned),
    ],
  };
}

/** The error of fields that others own, if they are not to be taken over. */
export function requireNoConflicts({ compared }: Examination): void {
  const error = conflictError(compared);
  if (error !== undefined) throw error;
}

const nameOfNamespace = ({ metadata: { name } }: OrchObject): string => name;

/** Verbs of writing, comparing and pruning. */
const WRITE = ["get", "create", "patch", "delete"];

async function neededRights(
  kinds: Kinds,
  { namespace }: Installation,
  objects: readonly OrchObject[],
) {
  const defined = definedTypes(objects);
  const typed = await forEach(objects, async (object) => {
    const type = await kinds.typeOf(object) ?? defined(object);
    return type === undefined ? [] : [{ type, namespace: object.metadata.namespace ?? "" }];
  });
  const places = typed.flat();
  const system = (type: ResourceType): Place => ({ type, namespace });
  const everywhere = await forEach(INSTALLED_KINDS, async (kind) => {
    const type = await kinds.typeOf(kind);
    return type === undefined ? [] : [{ type, namespace: "" }];
  });
  const workloads = new Set(
    objects.filter(({ kind }) => ["Deployment", "DaemonSet", "StatefulSet"].includes(kind))
      .map(({ metadata }) => metadata.namespace ?? ""),
  );
  const watched = [...workloads].flatMap((place) =>
    WATCHED_TYPES.map((type) => ({ type, namespace: place }))
  );
  return [
    ...rightsOf([...places, system(types.NAMESPACE)], WRITE),
    ...rightsOf(everywhere.flat(), ["list"]),
    ...rightsOf([system(types.LEASE)], ["get", "create", "update", "delete"]),
    ...rightsOf(watched, ["list", "watch"]),
  ];
}

/** The versions of the objects of a revision, without those that all revisions share. */
function versionsOf(owned: readonly Found[], revision: string): string[] {
  const versions = owned.flatMap(({ object: { metadata: { labels = {} } } }) => {
    const isOf = labels[REVISION_LABEL] === revision && !isShared(labels[COMPONENT_LABEL]);
    return isOf ? labels[VERSION_LABEL] ?? [] : [];
  });
  return [...new Set(versions)].sort();
}

function skewsOf(owned: readonly Found[], { components, revision, version }: Installation): Skew[] {
  const own = versionsOf(owned, revision)
    .map((installed) => skewOf(installed, version, `revision ${revision}`));
  // Definitions are shared: those of a newer mesh have fields that these do not have.
  const shared = components.filter(({ component }) => isShared(component)).flatMap((one) => {
    const versions = owned.flatMap(({ object: { metadata: { labels = {} } } }) =>
      labels[COMPONENT_LABEL] === one.component ? labels[VERSION_LABEL] ?? [] : []
    );
    const what = one.component === BASE ? "definitions" : "the network plugin";
    return [...new Set(versions)].map((installed) =>
      skewOf(installed, version, `what all revisions share (${what})`)
    );
  });
  return [...own, ...shared.filter(({ kind }) => kind === "older" || kind === "unknown")];
}

function olderError(skews: readonly Skew[]): MeshError {
  return new MeshError("install-version", skews.map(({ text }) => text).join("; "), {
    remedy: "Use the meshctl of that version, install this one as another revision without base " +
      "(--revision, --set components.base.enabled=false), or go on with --force.",
  });
}

/** Objects of another revision that the installation would take over. */
function takenOver(compared: readonly Comparison[], revision: string): string[] {
  return compared.flatMap(({ object, live }) => {
    const labels = live?.metadata.labels ?? {};
    const before = labels[REVISION_LABEL];
    if (before === undefined || before === revision || isShared(labels[COMPONENT_LABEL])) return [];
    return [`${nameOf(object)} belongs to revision ${before}, and goes over to ${revision}`];
  });
}
