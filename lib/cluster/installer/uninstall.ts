/**
 * Removes a revision, the objects of a file, or everything that the mesh made.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import {
  getObject,
  guardWrites,
  listAll,
  type ListItem,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import { nothingIfGone } from "./compare.ts";
import { type Dependents, findDependents } from "./dependents.ts";
import { forEach } from "./each.ts";
import { type Kinds, readKinds } from "./kinds.ts";
import { takeLock } from "./lock.ts";
import { madeNamespaces, removeNamespaces } from "./made_namespaces.ts";
import { stageOf } from "./order.ts";
import { nameOf } from "./plan.ts";
import { type Found, removeAll } from "./prune.ts";
import {
  installedObjects,
  installedRevisions,
  isDefinition,
  removable,
  type Scope,
} from "./removal.ts";
import type { Report } from "./report.ts";
import { requireRights, rightsOf } from "./rights.ts";
import { writtenObjects } from "./written.ts";

/** Settings of an uninstallation. */
export interface UninstallOptions {
  /** Its requests end with the command. */
  readonly client: OrchClient;
  /** Its requests do not: it gives the lock back. */
  readonly lockClient: OrchClient;
  /** Namespace of the control plane. */
  readonly namespace: string;
  readonly scope: Scope;
  readonly report: Report;
  readonly signal: AbortSignal;
  /** Names of the proxies that are connected to daemons of a revision. */
  readonly connected: (revision: string) => Promise<readonly string[]>;
  /** Told each object that was removed. */
  readonly removed: (object: OrchObject) => void;
  /** Asks whether to go on. */
  readonly agree: (removal: Removal) => Promise<boolean>;
}

/** The objects that would be removed. */
export interface Removal {
  readonly objects: readonly OrchObject[];
  /** Namespaces that the installation made. */
  readonly namespaces: readonly string[];
  readonly dependents: Dependents;
}

/** Longest wait for what ends slowly, such as pods and definitions, in milliseconds. */
const GONE_MS = 120_000;
/** Time between two questions, in milliseconds. */
const PAUSE_MS = 250;

/**
 * Removes.
 *
 * @returns the number of removed objects; `undefined`: the user did not agree
 * @throws {MeshError} `uninstall-unknown` if there is nothing to remove; `install-rights`
 */
export async function uninstall(options: UninstallOptions): Promise<number | undefined> {
  const { client, lockClient, namespace, scope, report, signal } = options;
  const kinds = readKinds(client);
  report.step("- Looking at the cluster");
  const found = await look(options, kinds);
  const isPurge = scope.kind === "purge";
  const written = isPurge ? await writtenObjects(client, namespace) : [];
  const made = isPurge ? await madeNamespaces(client) : [];
  await requireRights(client, rightsOf(placesOf([...found, ...written]), ["list", "delete"]));
  const removal: Removal = {
    objects: [...found, ...written].map(({ object }) => object),
    namespaces: made,
    dependents: await findDependents({
      ...{ client, kinds, namespace, removed: found, connected: options.connected },
      revisions: installedRevisions(found).map(({ revision }) => revision),
    }),
  };
  if (!await options.agree(removal)) return undefined;
  const hasNamespace = await getObject(client, types.NAMESPACE, { name: namespace })
    .catch(nothingIfGone);
  await using lock = hasNamespace === undefined ? undefined : await takeLock({
    client: lockClient,
    namespace,
    waiting: (text) => report.say(text),
    signal,
  });
  const guarded = guardWrites(client, async () => await lock?.check());
  return await remove({ ...options, client: guarded }, found, made);
}

async function look({ client, scope, report }: UninstallOptions, kinds: Kinds): Promise<Found[]> {
  const { found, unread } = await installedObjects(client, kinds);
  for (const one of unread) report.say(`Warning: the objects of ${one} cannot be listed now`);
  const chosen = removable(found, scope);
  if (chosen.length > 0 || scope.kind === "purge") return chosen;
  const wanted = scope.kind === "revision" ? scope.revision : scope.installation.revision;
  const names = installedRevisions(found).map(({ revision }) => revision);
  const near = nearest(wanted, names);
  throw new MeshError(
    "uninstall-unknown",
    scope.kind === "revision"
      ? `no revision ${JSON.stringify(wanted)} is installed`
      : `nothing of the file is installed for revision ${JSON.stringify(wanted)}`,
    {
      remedy: names.length === 0
        ? "No revision is installed by meshctl in this cluster."
        : `${near === undefined || near === wanted ? "" : `Did you mean ${near}? `}` +
          `There are: ${names.join(", ")}.`,
    },
  );
}

function placesOf(found: readonly Found[]) {
  return found.map(({ object, type }) => ({ type, namespace: object.metadata.namespace ?? "" }));
}

const WORKLOAD_STAGE = stageOf({ apiVersion: "apps/v1", kind: "Deployment" });

/**
 * Webhooks and workloads go first. What daemons write goes after their pods, which would write it
 * again; then definitions, then namespaces.
 */
async function remove(
  options: UninstallOptions,
  found: readonly Found[],
  made: readonly string[],
): Promise<number> {
  const { client, namespace, scope, report, signal } = options;
  let count = 0;
  const removed = (object: OrchObject): void => {
    count++;
    report.pass(`- Removed ${nameOf(object)}`);
    options.removed(object);
  };
  const isFirst = ({ object }: Found): boolean => stageOf(object) >= WORKLOAD_STAGE;
  await removeAll(client, found.filter(isFirst), removed);
  report.mark("workloads and webhooks");
  await forEach(found.filter(isFirst), (one) => untilPodsGone(options, one));
  report.mark("pods");
  const rest = found.filter((one) => !isFirst(one) && !isDefinition(one.object));
  await removeAll(client, rest, removed);
  if (scope.kind === "purge") {
    await removeAll(client, await writtenObjects(client, namespace), removed);
  }
  report.mark("further objects");
  const definitions = found.filter(({ object }) => isDefinition(object));
  await removeAll(client, definitions, removed);
  await forEach(definitions, (one) => untilGone(options, one));
  if (definitions.length > 0) report.mark("definitions");
  const kept = await removeNamespaces({ client, names: made, report, signal, removed });
  if (made.length > kept.length) report.mark("namespaces");
  return count;
}

async function untilGone(
  { client, report, signal }: UninstallOptions,
  { object, type }: Found,
): Promise<void> {
  await poll(
    `${nameOf(object)} to be gone`,
    { report, signal },
    async () => await getObject(client, type, object.metadata).catch(nothingIfGone) === undefined,
  );
}

/** Waits until the pods that a workload selects are gone. */
async function untilPodsGone(
  { client, report, signal }: UninstallOptions,
  { object }: Found,
): Promise<void> {
  type Selecting = OrchObject & {
    readonly spec?: { readonly selector?: { readonly matchLabels?: Record<string, string> } };
  };
  if (!["Deployment", "DaemonSet", "StatefulSet"].includes(object.kind)) return;
  const labels = Object.entries((object as Selecting).spec?.selector?.matchLabels ?? {});
  if (labels.length === 0) return;
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join(",");
  const { namespace = "" } = object.metadata;
  await poll(`the pods of ${nameOf(object)} to end`, { report, signal }, async () => {
    const pods = await listAll<ListItem>(client, types.POD, { namespace, labelSelector });
    // Another workload may select the same pods.
    return pods.every(({ metadata }) => !startsWith(metadata, object.metadata.name));
  });
}

function startsWith({ name }: { readonly name: string }, workload: string): boolean {
  return name.startsWith(`${workload}-`);
}

async function poll(
  what: string,
  { report, signal }: Pick<UninstallOptions, "report" | "signal">,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + GONE_MS;
  while (!await isDone()) {
    report.step(`- Waiting for ${what}`);
    if (performance.now() >= end) {
      throw new MeshError("uninstall-slow", `waited ${GONE_MS / 1000} s for ${what}`, {
        remedy: "Look at its finalizers and its node; then run the same command again.",
      });
    }
    await sleep(PAUSE_MS, signal);
    signal.throwIfAborted();
  }
}
