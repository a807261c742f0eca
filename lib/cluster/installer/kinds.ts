/**
 * The resource types of a cluster, as its API server names them.
 *
 * @module
 */
import { isNotFound, type OrchClient, OrchError, type OrchObject } from "../../kit/orch/mod.ts";
import type { ResourceType } from "../../kit/orch/mod.ts";
import { forEach } from "./each.ts";
import { groupOf, type KindName } from "./order.ts";

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

interface Definition extends OrchObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

/** The types of a server. */
export interface Kinds {
  /** The type of a kind; `undefined` if the server does not have it. */
  typeOf(kind: KindName): Promise<ResourceType | undefined>;
  /** All types whose objects can be listed and deleted, in the preferred versions of their groups. */
  all(): Promise<{ readonly types: readonly ResourceType[]; readonly unread: readonly string[] }>;
  /** Forgets what was read, after definitions were applied. */
  forget(): void;
}

/** Reads each version of an API once. */
export function readKinds(client: OrchClient): Kinds {
  const versions = new Map<string, Promise<readonly ServedResource[]>>();
  const read = (apiVersion: string): Promise<readonly ServedResource[]> => {
    let found = versions.get(apiVersion);
    if (found === undefined) {
      found = resourcesOf(client, apiVersion);
      versions.set(apiVersion, found);
    }
    return found;
  };
  return {
    async typeOf({ apiVersion, kind }) {
      const found = (await read(apiVersion))
        .find((one) => one.kind === kind && !one.name.includes("/"));
      return found && typeFrom(apiVersion, found);
    },
    async all() {
      const unread: string[] = [];
      const found = await forEach(["v1", ...await preferred(client)], async (apiVersion) => {
        try {
          const resources = await read(apiVersion);
          return resources.filter(({ name, verbs }) =>
            !name.includes("/") && ["list", "delete"].every((verb) => verbs.includes(verb))
          ).map((one) => typeFrom(apiVersion, one));
        } catch (error) {
          // The server of an extension may be away; its objects are not those of a mesh.
          if (!(error instanceof OrchError) || error.status !== 503) throw error;
          unread.push(apiVersion);
          return [];
        }
      });
      return { types: found.flat(), unread };
    },
    forget: () => versions.clear(),
  };
}

/** The types that definitions among the objects of a plan add. */
export function definedTypes(
  objects: readonly OrchObject[],
): (kind: KindName) => ResourceType | undefined {
  const definitions = objects.filter((one): one is Definition =>
    one.kind === "CustomResourceDefinition"
  );
  return ({ apiVersion, kind }) => {
    const group = groupOf(apiVersion);
    const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
    return found && {
      group,
      kind,
      version: apiVersion.slice(group.length + 1),
      plural: found.spec.names.plural,
      namespaced: found.spec.scope === "Namespaced",
    };
  };
}

function typeFrom(
  apiVersion: string,
  { name, kind, namespaced }: ServedResource,
): ResourceType {
  const group = groupOf(apiVersion);
  const version = group === "" ? apiVersion : apiVersion.slice(group.length + 1);
  return { group, version, plural: name, kind, namespaced };
}

async function resourcesOf(
  client: OrchClient,
  apiVersion: string,
): Promise<readonly ServedResource[]> {
  const path = groupOf(apiVersion) === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  try {
    const { resources } = await client.json<{ resources: readonly ServedResource[] }>({ path });
    return resources;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function preferred(client: OrchClient): Promise<string[]> {
  type Groups = { groups: readonly { preferredVersion: { groupVersion: string } }[] };
  const { groups } = await client.json<Groups>({ path: "/apis" });
  return groups.map(({ preferredVersion }) => preferredVersion.groupVersion);
}
