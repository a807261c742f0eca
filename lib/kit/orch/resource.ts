/**
 * Operations on the objects of one resource type.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { OrchClient } from "./client.ts";
import type { OrchList, OrchObject } from "./object.ts";
import type { OrchRequest } from "./transport.ts";

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** In the path, such as `services`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Name of an object; the namespace is empty for types of the whole cluster. */
export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** Restriction of a list. */
export interface Selection {
  /** Empty: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of server-side apply. */
export interface ApplyOptions {
  /** Name under which the server records ownership of the fields. */
  readonly manager: string;
  /** True: fields of other managers are taken over. */
  readonly force?: boolean;
  /** Path below the object, such as `status`. */
  readonly subresource?: string;
  /** True: the server checks and changes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** Objects in a page of a list. */
const PAGE = 250;

/** The path of a type, of one namespace or of all. */
export function collectionPath(type: ResourceType, namespace = ""): string {
  const { group, version, plural, namespaced } = type;
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === "") return `${base}/${plural}`;
  if (!namespaced) throw new MeshError("orch-scope", `${type.kind} has no namespaces`);
  return `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export function objectPath(type: ResourceType, { namespace, name }: ObjectName): string {
  if (type.namespaced && !namespace) {
    throw new MeshError("orch-scope", `${type.kind} ${name} needs a namespace`);
  }
  return `${collectionPath(type, type.namespaced ? namespace : "")}/${encodeURIComponent(name)}`;
}

/** Reads an object. */
export function getObject<T extends OrchObject>(
  client: OrchClient,
  type: ResourceType,
  name: ObjectName,
  options: Pick<OrchRequest, "signal"> = {},
): Promise<T> {
  return client.json<T>({ path: objectPath(type, name), ...options });
}

/** The objects of a type, page by page; all pages show the state of one moment. */
export async function* listObjects<T>(
  client: OrchClient,
  type: ResourceType,
  selection: Selection = {},
  options: Pick<OrchRequest, "accept" | "signal" | "timeoutMs"> & { readonly limit?: number } = {},
): AsyncGenerator<OrchList<T>> {
  const { namespace, labelSelector, fieldSelector } = selection;
  const { limit = PAGE, ...rest } = options;
  let token: string | undefined;
  do {
    const page = await client.json<OrchList<T>>({
      path: collectionPath(type, namespace),
      query: { limit, continue: token, labelSelector, fieldSelector },
      ...rest,
    });
    yield page;
    token = page.metadata.continue;
  } while (token);
}

/** All objects of a type. */
export async function listAll<T>(
  client: OrchClient,
  type: ResourceType,
  selection: Selection = {},
): Promise<T[]> {
  const all: T[] = [];
  for await (const { items } of listObjects<T>(client, type, selection)) all.push(...items);
  return all;
}

/** Creates an object; its namespace is in its metadata. */
export function createObject<T extends OrchObject>(
  client: OrchClient,
  type: ResourceType,
  object: OrchObject,
): Promise<T> {
  const namespace = type.namespaced ? object.metadata.namespace : "";
  const path = collectionPath(type, namespace);
  return client.json<T>({ method: "POST", path, body: object });
}

/** Replaces an object. With a resource version in its metadata, only that version is replaced. */
export function replaceObject<T extends OrchObject>(
  client: OrchClient,
  type: ResourceType,
  object: OrchObject,
  subresource = "",
): Promise<T> {
  const path = objectPath(type, object.metadata) + (subresource && `/${subresource}`);
  return client.json<T>({ method: "PUT", path, body: object });
}

/** Creates an object, or changes the fields that `object` has (server-side apply). */
export function applyObject<T extends OrchObject>(
  client: OrchClient,
  type: ResourceType,
  object: OrchObject,
  { manager, force = false, subresource, dryRun, signal }: ApplyOptions,
): Promise<T> {
  return client.json<T>({
    method: "PATCH",
    path: objectPath(type, object.metadata) + (subresource ? `/${subresource}` : ""),
    query: { fieldManager: manager, force, fieldValidation: "Strict", dryRun: dryRun && "All" },
    contentType: "application/apply-patch+yaml",
    body: object,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Changes an object by a JSON merge patch. */
export function mergePatch<T extends OrchObject>(
  client: OrchClient,
  type: ResourceType,
  name: ObjectName & { readonly subresource?: string },
  patch: unknown,
): Promise<T> {
  return client.json<T>({
    method: "PATCH",
    path: objectPath(type, name) + (name.subresource ? `/${name.subresource}` : ""),
    contentType: "application/merge-patch+json",
    body: patch,
  });
}

/** Conditions of a deletion. */
export interface DeleteOptions {
  /** Only this version is deleted. */
  readonly resourceVersion?: string;
  /** Only the object of this id is deleted, not another one that has its name now. */
  readonly uid?: string;
  readonly graceSeconds?: number;
}

export async function deleteObject(
  client: OrchClient,
  type: ResourceType,
  name: ObjectName,
  options: DeleteOptions = {},
): Promise<void> {
  const { resourceVersion, uid, graceSeconds } = options;
  const preconditions = {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  };
  await client.text({
    method: "DELETE",
    path: objectPath(type, name),
    body: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
      ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    },
  });
}
