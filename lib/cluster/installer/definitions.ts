/**
 * The definitions of the mesh: which ones a cluster lacks, and the wait until they are served.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { getObject, type OrchClient, type OrchObject, types } from "../../kit/orch/mod.ts";
import { resourceDefinitions } from "../../mesh/schema/mod.ts";
import { forEach } from "./each.ts";
import { groupOf } from "./order.ts";
import { BASE, type Installation, nameOf, PILOT } from "./plan.ts";
import type { Kinds } from "./kinds.ts";

/** Longest wait, in milliseconds: a server takes less than a second for all of them. */
const SERVED_MS = 60_000;
/** Time between two questions, in milliseconds. */
const PAUSE_MS = 100;

interface Definition extends OrchObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served?: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** The definitions among objects. */
export function definitionsOf(objects: readonly OrchObject[]): Definition[] {
  return objects.filter((one): one is Definition =>
    one.kind === "CustomResourceDefinition" && groupOf(one.apiVersion) === "apiextensions.k8s.io"
  );
}

/**
 * The sentence about kinds of the mesh that neither the cluster nor the installation defines; none if
 * there are none, or if the installation has no daemon.
 */
export async function undefinedKinds(
  kinds: Kinds,
  { components }: Pick<Installation, "components">,
): Promise<string[]> {
  const has = (name: string) => components.some(({ component }) => component === name);
  if (!has(PILOT) || has(BASE)) return [];
  const all = resourceDefinitions(() => "");
  const missing = await forEach(all, async ({ spec: { group, names, versions } }) => {
    const version = versions.find(({ storage }) => storage)?.name;
    const kind = { apiVersion: `${group}/${version}`, kind: names.kind };
    return await kinds.typeOf(kind) === undefined ? [names.kind] : [];
  });
  const names = missing.flat();
  if (names.length === 0) return [];
  return [
    `the cluster does not define ${names.length} of ${all.length} kinds of the mesh: ` +
    `${
      names.join(", ")
    }. The daemon cannot read them until they are defined, and no object of them ` +
    "can be made. To define them, set components.base.enabled=true",
  ];
}

/**
 * Waits until all definitions are established and their kinds are served.
 *
 * @throws {MeshError} `crd-not-served` with the condition that says why
 */
export async function untilServed(
  client: OrchClient,
  kinds: Kinds,
  definitions: readonly Definition[],
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + SERVED_MS;
  await forEach(definitions, async (definition) => {
    for (;;) {
      const fault = await faultOf(client, definition);
      if (fault === undefined) return;
      if (performance.now() >= end) throw notServed(definition, fault);
      await sleep(PAUSE_MS, signal);
      signal.throwIfAborted();
    }
  });
  kinds.forget();
  for (const definition of definitions) {
    while (!await isDiscovered(kinds, definition)) {
      if (performance.now() >= end) throw notServed(definition, "it is in no list of resources");
      await sleep(PAUSE_MS, signal);
      signal.throwIfAborted();
      kinds.forget();
    }
  }
}

async function faultOf(client: OrchClient, { metadata }: Definition): Promise<string | undefined> {
  const { name } = metadata;
  const found = await getObject<Definition>(client, types.CUSTOM_RESOURCE_DEFINITION, { name });
  const conditions = found.status?.conditions ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === "True");
  if (isTrue("Established") && isTrue("NamesAccepted")) return undefined;
  return conditions.find(({ status, message }) => status === "False" && message)?.message ??
    "it is not established yet";
}

async function isDiscovered(kinds: Kinds, { spec }: Definition): Promise<boolean> {
  const { group, names: { kind }, versions } = spec;
  const [version] = versions.filter(({ served }) => served !== false);
  if (version === undefined) return true;
  return await kinds.typeOf({ apiVersion: `${group}/${version.name}`, kind }) !== undefined;
}

function notServed(definition: Definition, fault: string): MeshError {
  return new MeshError(
    "crd-not-served",
    `the server does not serve ${nameOf(definition)}: ${fault}`,
    { remedy: `Look at its conditions: kubectl describe crd ${definition.metadata.name}` },
  );
}
