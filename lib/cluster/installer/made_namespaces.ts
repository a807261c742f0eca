/**
 * Namespaces that an installation made, and their removal when nothing of a user is in them.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import {
  deleteObject,
  getObject,
  listAll,
  type ListItem,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { nothingIfGone } from "./compare.ts";
import { forEach } from "./each.ts";
import { readKinds } from "./kinds.ts";
import { LOCK_NAME } from "./lock.ts";
import { CREATED } from "./namespaces.ts";
import { MANAGED_LABEL } from "./plan.ts";
import { objectsOf } from "./prune.ts";
import type { Report } from "./report.ts";

/** Names of the namespaces that an installation made. */
export async function madeNamespaces(client: OrchClient): Promise<string[]> {
  const found = await objectsOf(client, types.NAMESPACE, `${MANAGED_LABEL}=${CREATED}`);
  return found.filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    .map(({ object }) => object.metadata.name).sort();
}

/** Settings of a removal. */
export interface RemovalOptions {
  readonly client: OrchClient;
  readonly names: readonly string[];
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly removed: (object: OrchObject) => void;
}

/** Time between two questions, and the longest wait, in milliseconds. */
const PAUSE_MS = 250;
const GONE_MS = 120_000;

/** Removes namespaces that hold nothing of users; returns those that stay, and says why. */
export async function removeNamespaces(options: RemovalOptions): Promise<string[]> {
  const { client, names, report, signal, removed } = options;
  const kept: string[] = [];
  for (const name of names) {
    const others = await contentOf(client, name);
    if (others.length > 0) {
      kept.push(name);
      const shown = others.slice(0, 5).join(", ") +
        (others.length > 5 ? ` and ${others.length - 5} more` : "");
      report.say(`Namespace ${name} stays, because it has objects of others: ${shown}`);
      continue;
    }
    await deleteObject(client, types.NAMESPACE, { name }).catch(nothingIfGone);
    const end = performance.now() + GONE_MS;
    while (await getObject(client, types.NAMESPACE, { name }).catch(nothingIfGone) !== undefined) {
      report.step(`- Waiting for namespace ${name} to be gone`);
      if (performance.now() >= end) {
        report.say(`Namespace ${name} is still being deleted`);
        break;
      }
      await sleep(PAUSE_MS, signal);
      signal.throwIfAborted();
    }
    removed({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  return kept;
}

/** Objects of a namespace that neither the orchestrator nor an installation makes. */
async function contentOf(client: OrchClient, namespace: string): Promise<string[]> {
  const { types: all } = await readKinds(client).all();
  const found = await forEach(all.filter(({ namespaced }) => namespaced), async (type) => {
    const items = await listAll<ListItem>(client, type, { namespace }).catch(nothingIfGone) ?? [];
    return items.filter(({ metadata }) => !isOrdinary(type.kind, metadata))
      .map(({ metadata }) => `${type.kind} ${metadata.name}`);
  });
  return [...new Set(found.flat())];
}

/** True for what the orchestrator makes in every namespace, what goes with its owner, and the lock. */
function isOrdinary(
  kind: string,
  { name, ownerReferences = [], deletionTimestamp }: ListItem["metadata"],
) {
  return kind === "Event" || ownerReferences.length > 0 || deletionTimestamp !== undefined ||
    kind === "ServiceAccount" && name === "default" ||
    kind === "ConfigMap" && name === "kube-root-ca.crt" ||
    kind === "Endpoints" || kind === "EndpointSlice" || kind === "Lease" && name === LOCK_NAME;
}
