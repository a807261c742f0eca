/**
 * Objects of a manifest beside those of the cluster: as they are, and as the manifest would make them.
 *
 * @module
 */
import {
  applyObject,
  getObject,
  isNotFound,
  type OrchClient,
  type OrchObject,
  type ResourceType,
} from "../../kit/orch/mod.ts";
import type { OpenCluster } from "./cluster.ts";
import type { NamedObject } from "./compare.ts";
import type { Tree } from "./flat.ts";

/** The name under which fields are tried; nothing is written. */
const MANAGER = "meshctl";

/** Two sides of a comparison. */
interface Sides {
  readonly before: readonly NamedObject[];
  readonly after: readonly NamedObject[];
}

/**
 * Applies objects without writing, so that defaults of the server are no differences, and reads them.
 * Objects whose kind or namespace the cluster does not have count as missing.
 */
export async function readLive(objects: readonly NamedObject[], open: OpenCluster): Promise<Sides> {
  using cluster = await open();
  const types = new Map<string, Promise<ResourceType | undefined>>();
  const before: NamedObject[] = [];
  const after: NamedObject[] = [];
  for (const one of objects) {
    const { object } = one;
    const { apiVersion, kind, metadata } = object;
    const key = JSON.stringify([apiVersion, kind]);
    if (!types.has(key)) types.set(key, resourceType(cluster.client, apiVersion, kind));
    const type = await types.get(key);
    const live = type && await orMissing(getObject<OrchObject>(cluster.client, type, metadata));
    if (type === undefined || live === undefined) {
      before.push(one);
      continue;
    }
    const made = await applyObject<OrchObject>(cluster.client, type, object, {
      manager: MANAGER,
      force: true,
      dryRun: true,
      signal: cluster.signal,
    });
    before.push({ ...one, object: comparable(made, type) });
    after.push({ ...one, object: comparable(live, type) });
  }
  return { before, after };
}

async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

/** The resource of a kind; `undefined` if the cluster does not have it. */
async function resourceType(
  client: OrchClient,
  apiVersion: string,
  kind: string,
): Promise<ResourceType | undefined> {
  const [version, group = ""] = apiVersion.split("/").reverse() as [string, string?];
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const list = await orMissing(client.json<ResourceList>({ path }));
  const found = list?.resources?.find((one) => one.kind === kind && !one.name.includes("/"));
  return found && { group, version, kind, plural: found.name, namespaced: found.namespaced };
}

/** An object without what each write changes, and without what the server and controllers report. */
function comparable(object: OrchObject, { group, version, kind }: ResourceType): OrchObject & Tree {
  const { status: _, ...rest } = object as OrchObject & { readonly status?: unknown };
  const { managedFields: __, resourceVersion: ___, generation: ____, ...metadata } = rest.metadata;
  return { ...rest, apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata };
}
