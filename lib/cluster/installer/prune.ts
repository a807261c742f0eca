/**
 * Objects that an earlier installation made and the present one no longer has.
 *
 * @module
 */
import { deleteObject, isNotFound, listAll } from "../../kit/orch/mod.ts";
import type { ListItem, OrchClient, OrchObject, ResourceType } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { forEach } from "./each.ts";
import type { Kinds } from "./kinds.ts";
import { INSTALLED_KINDS, stageOf } from "./order.ts";
import {
  BASE,
  COMPONENT_LABEL,
  identityOf,
  type Installation,
  isShared,
  nameOf,
  OWNER_LABEL,
  PILOT,
  PLUGIN,
} from "./plan.ts";

/** An object of the cluster with its type. */
export interface Found {
  readonly object: OrchObject;
  readonly type: ResourceType;
}

/**
 * The objects to remove: of the owners and the revision of the installation. An installation with a
 * control plane describes its revision whole, so that components that it does not have are removed;
 * another one, such as a gateway alone, concerns only its own components. What all revisions share
 * goes only if no other revision is there that may need it. Definitions stay, because the resources of
 * users would go with them.
 */
export function prunable(found: readonly Found[], installation: Installation): Found[] {
  const { components, revision } = installation;
  const objects = components.flatMap((one) => one.objects);
  const owners = new Set(objects.flatMap((one) => one.metadata.labels?.[OWNER_LABEL] ?? []));
  const kept = new Set(objects.map(identityOf));
  const names = new Set(components.map(({ component }) => component));
  const isWhole = names.has(PILOT);
  const isAlone = revisionsOf(found).every((one) => one === revision);
  return found.filter(({ object }) => {
    const { labels = {}, ownerReferences = [], deletionTimestamp } = object.metadata;
    const component = labels[COMPONENT_LABEL];
    const isOf = isShared(component) ? isAlone : labels[REVISION_LABEL] === revision;
    return owners.has(labels[OWNER_LABEL] ?? "") && isOf &&
      component !== undefined && (names.has(component) || isWhole && component !== BASE) &&
      object.kind !== "CustomResourceDefinition" && object.kind !== "Namespace" &&
      ownerReferences.length === 0 && deletionTimestamp === undefined &&
      !kept.has(identityOf(object));
  });
}

/** The revisions of objects, without those that all revisions share. */
export function revisionsOf(found: readonly Found[]): string[] {
  const revisions = found.flatMap(({ object: { metadata: { labels = {} } } }) =>
    isShared(labels[COMPONENT_LABEL]) ? [] : labels[REVISION_LABEL] ?? []
  );
  return [...new Set(revisions)];
}

const GATEWAYS: ReadonlySet<string | undefined> = new Set(["IngressGateways", "EgressGateways"]);

/** The sentence about gateways that are removed, which users may not expect; none if there are none. */
export function removedGateways(pruned: readonly Found[]): string[] {
  const gateways = pruned.map(({ object }) => object).filter(({ kind, metadata }) =>
    kind === "Deployment" && GATEWAYS.has(metadata.labels?.[COMPONENT_LABEL])
  );
  if (gateways.length === 0) return [];
  const owners = new Set(gateways.map(({ metadata }) => metadata.labels?.[OWNER_LABEL]));
  const names = gateways.map(nameOf).join(", ");
  return [
    `gateways that this installation does not have will be removed: ${names}. They belong to ` +
    `${
      [...owners].join(", ")
    }, as this installation does. To keep them, name them in it, or install ` +
    "them again from a file with a metadata.name of its own",
  ];
}

/** The sentence about the network plugin that is removed; none if it stays. */
export function removedPlugin(pruned: readonly Found[]): string[] {
  const workloads = pruned.map(({ object }) => object).filter(({ kind, metadata }) =>
    kind === "DaemonSet" && metadata.labels?.[COMPONENT_LABEL] === PLUGIN
  );
  return workloads.map((one) =>
    `the network plugin, which this installation does not have, will be removed: ${nameOf(one)}. ` +
    "Pods that rely on it cannot start again until they are made anew, with an init container that " +
    "redirects their traffic. To keep it, set components.cni.enabled=true"
  );
}

/** The objects with the label of an owner, of the kinds that installations are made of. */
export async function ownedObjects(
  client: OrchClient,
  kinds: Kinds,
  more: readonly Pick<OrchObject, "apiVersion" | "kind">[],
): Promise<Found[]> {
  const all = new Map(
    [...INSTALLED_KINDS, ...more].map(({ apiVersion, kind }) =>
      [`${apiVersion} ${kind}`, { apiVersion, kind }] as const
    ),
  );
  const found = await forEach([...all.values()], async (one) => {
    const type = await kinds.typeOf(one);
    return type === undefined ? [] : await objectsOf(client, type, OWNER_LABEL);
  });
  return found.flat();
}

/** The objects of a type that a selector of labels selects; items of lists get their kind. */
export async function objectsOf(
  client: OrchClient,
  type: ResourceType,
  labelSelector: string,
  namespace: string = "",
): Promise<Found[]> {
  const { group, version, kind } = type;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const selection = { labelSelector, namespace };
  const items = await listAll<ListItem>(client, type, selection).catch((error) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  return items.map((item) => ({ type, object: { ...item, apiVersion, kind } }));
}

/** Deletes objects, those first that were applied last. */
export async function removeAll(
  client: OrchClient,
  found: readonly Found[],
  removed: (object: OrchObject) => void = () => {},
): Promise<void> {
  const stages = Map.groupBy(found, ({ object }) => stageOf(object));
  for (const [, stage] of [...stages].sort(([a], [b]) => b - a)) {
    await forEach(stage, async ({ object, type }) => {
      await deleteObject(client, type, object.metadata).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
      removed(object);
    });
  }
}
