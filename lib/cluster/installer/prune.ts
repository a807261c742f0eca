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
  OWNER_LABEL,
  PILOT,
} from "./plan.ts";

/** An object of the cluster with its type. */
export interface Found {
  readonly object: OrchObject;
  readonly type: ResourceType;
}

/**
 * The objects to remove: of the owners and the revision of the installation. An installation with a
 * control plane describes its revision whole, so that components that it does not have are removed;
 * another one, such as a gateway alone, concerns only its own components. Definitions stay, because
 * the resources of users would go with them.
 */
export function prunable(found: readonly Found[], installation: Installation): Found[] {
  const { components, revision } = installation;
  const objects = components.flatMap((one) => one.objects);
  const owners = new Set(objects.flatMap((one) => one.metadata.labels?.[OWNER_LABEL] ?? []));
  const kept = new Set(objects.map(identityOf));
  const names = new Set(components.map(({ component }) => component));
  const isWhole = names.has(PILOT);
  return found.filter(({ object }) => {
    const { labels = {}, ownerReferences = [], deletionTimestamp } = object.metadata;
    const component = labels[COMPONENT_LABEL];
    return owners.has(labels[OWNER_LABEL] ?? "") && labels[REVISION_LABEL] === revision &&
      component !== undefined && (names.has(component) || isWhole && component !== BASE) &&
      object.kind !== "CustomResourceDefinition" && object.kind !== "Namespace" &&
      ownerReferences.length === 0 && deletionTimestamp === undefined &&
      !kept.has(identityOf(object));
  });
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
