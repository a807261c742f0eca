/**
 * Waits until the server serves the definitions of an installation.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { getObject, type OrchClient, type OrchObject, types } from "../../kit/orch/mod.ts";
import { forEach } from "./each.ts";
import { groupOf } from "./order.ts";
import { nameOf } from "./plan.ts";
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
