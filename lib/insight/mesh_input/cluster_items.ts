/**
 * Objects of a cluster by type, as far as it has the type and the identity may list them.
 *
 * @module
 */
import { messageOf, printable } from "../../kit/base/mod.ts";
import {
  isNotFound,
  listAll,
  type ListItem,
  OrchError,
  type OrchObject,
  type ResourceType,
  trimmed,
  types,
} from "../../kit/orch/mod.ts";
import type { SeenDocument } from "../../mesh/schema/mod.ts";
import { isInjectorConfig } from "../analyze/mod.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";

/** Called for a type that cannot be read. */
export type Warn = (message: string) => void;

/** An object of a cluster as a document without a file. */
export function seenOf(value: OrchObject): SeenDocument {
  return { value, file: "", line: 1 };
}

/** Types from which the state of the network plugin is seen, beside the configurations of injectors. */
const PLUGIN_TYPES: readonly ResourceType[] = [types.NODE, types.POD];

/** Objects that tell if the network plugin works where it is needed. */
export async function readPluginState(
  cluster: ClusterAccess,
  warn: Warn,
): Promise<readonly SeenDocument[]> {
  const found = await readInjectors(cluster, warn);
  for (const type of PLUGIN_TYPES) found.push(...await itemsOf(cluster, type, warn) ?? []);
  return found.map(seenOf);
}

/** The configurations of injectors. */
export async function readInjectors(
  cluster: ClusterAccess,
  warn: Warn,
): Promise<OrchObject[]> {
  const selection = { namespace: cluster.meshNamespace };
  const found = await itemsOf(cluster, types.CONFIG_MAP, warn, selection) ?? [];
  return found.filter(({ metadata }) => isInjectorConfig(metadata.name));
}

/** The objects of a type; `undefined` if the cluster does not have the type. */
export async function itemsOf(
  { client, access }: ClusterAccess,
  type: ResourceType,
  warn: Warn,
  selection: { readonly namespace?: string } = {},
): Promise<OrchObject[] | undefined> {
  const { group, version, kind, plural } = type;
  try {
    const items = await listAll<ListItem>(client, type, selection);
    const apiVersion = group === "" ? version : `${group}/${version}`;
    return items.map((item) => ({ ...trimmed(item), apiVersion, kind }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (!(error instanceof OrchError) || error.status !== 403) throw error;
    warn(`${plural} of ${printable(access.name)} are left out: ${printable(messageOf(error))}`);
    return [];
  }
}
