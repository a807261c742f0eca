/**
 * Controller: registered workloads as WorkloadEntries of the orchestrator. It runs in every daemon,
 * because each knows its own connections; annotations say which daemon has written an entry.
 *
 * @module
 */
import { canonicalJson } from "../../base/mod.ts";
import {
  applyObject,
  deleteObject,
  isConflict,
  isNotFound,
  type ListItem,
  mergePatch,
  type OrchObject,
  type ResourceType,
} from "../../orch/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { toJson } from "../../proto/mod.ts";
import type { RegisteredEntry } from "../../sources/mod.ts";
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { pause } from "../pause.ts";
import { applyAll, observe, reconcile, type Term, Wake } from "../reconcile.ts";

/** Annotation with the daemon that writes the entry. */
export const CONTROLLER = "mesh.io/workloadController";
/** Annotation with the time of the first connection, RFC 3339. */
export const CONNECTED = "mesh.io/connectedAt";
/** Annotation with the time of the end of the last connection, RFC 3339. */
export const DISCONNECTED = "mesh.io/disconnectedAt";
/** Manager of the fields of entries. */
const MANAGER = "mesh-registration";
/** Type of the condition with the reported health. */
const HEALTHY = "Healthy";
/** Disconnected entries of other daemons are looked at in this interval, in milliseconds. */
const EVERY_MS = 5_000;

/** Longest time for the last writes of a daemon that ends, in milliseconds. */
const STOP_MS = 3_000;
const NEVER: AbortSignal = new AbortController().signal;

/** A WorkloadEntry of the API. */
export interface EntryItem extends ListItem {
  readonly spec?: unknown;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** An entry to write. */
export interface EntryWrite {
  readonly object: OrchObject & { readonly spec: unknown };
  readonly healthy: boolean;
}

/** Changes that bring the orchestrator's entries to the daemon's registrations. */
export interface EntryChanges {
  readonly writes: readonly EntryWrite[];
  readonly deletes: readonly EntryItem[];
}

/** The observed state. */
export interface ObservedEntries {
  /** Name of the own daemon. */
  readonly instance: string;
  readonly registered: readonly RegisteredEntry[];
  /** WorkloadEntries that some daemon wrote. */
  readonly items: readonly EntryItem[];
  readonly graceMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The changes. An entry of another daemon is taken over if the workload is connected here and has
 * disconnected there, or connected here later.
 */
export function entryChanges(
  { instance, registered, items, graceMs, now }: ObservedEntries,
): EntryChanges {
  const present = new Map(items.map((item) => [keyOf(item.metadata), item]));
  const wanted = new Set<string>();
  const writes: EntryWrite[] = [];
  for (const one of registered) {
    const key = keyOf(one.entry.meta);
    wanted.add(key);
    const current = present.get(key);
    if (!mayWrite(one, current, instance)) continue;
    const write = writeOf(one, instance);
    if (current === undefined || differs(write, current)) writes.push(write);
  }
  const deletes = items.filter((item) => {
    const { [CONTROLLER]: controller, [DISCONNECTED]: left } = item.metadata.annotations ?? {};
    if (controller === undefined) return false;
    if (controller === instance) return !wanted.has(keyOf(item.metadata));
    // Its daemon may have ended. An own pause on top leaves the deletion to that daemon first.
    return left !== undefined && now - Date.parse(left) > graceMs + EVERY_MS;
  });
  return { writes, deletes };
}

function mayWrite(
  { since, disconnectedAt }: RegisteredEntry,
  current: EntryItem | undefined,
  instance: string,
): boolean {
  const { [CONTROLLER]: controller, [CONNECTED]: connected = "", [DISCONNECTED]: left } =
    current?.metadata.annotations ?? {};
  if (controller === instance) return true;
  if (disconnectedAt !== undefined) return false;
  return controller === undefined || left !== undefined || !(Date.parse(connected) >= since);
}

function writeOf(
  { entry, since, disconnectedAt }: RegisteredEntry,
  instance: string,
): EntryWrite {
  const { meta } = entry;
  const times: Record<string, string> = {};
  if (disconnectedAt !== undefined) times[DISCONNECTED] = timeOf(disconnectedAt);
  const annotations = {
    ...meta.annotations,
    [CONTROLLER]: instance,
    [CONNECTED]: timeOf(since),
    ...times,
  };
  return {
    object: {
      apiVersion: "networking.mesh.io/v1",
      kind: "WorkloadEntry",
      metadata: { name: meta.name, namespace: meta.namespace, labels: meta.labels, annotations },
      spec: toJson(WorkloadEntrySchema, entry.spec as WorkloadEntry),
    },
    healthy: meta.health !== "unhealthy",
  };
}

function differs({ object, healthy }: EntryWrite, current: EntryItem): boolean {
  const facts = ({ metadata: { labels = {}, annotations = {} }, spec }: EntryItem) =>
    canonicalJson({ labels, annotations, spec });
  return facts(object) !== facts(current) || healthy !== healthOf(current);
}

function healthOf({ status }: EntryItem): boolean | undefined {
  const condition = status?.conditions?.find(({ type }) => type === HEALTHY);
  return condition === undefined ? undefined : condition.status === "True";
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function keyOf({ namespace = "", name }: { readonly namespace?: string; readonly name: string }) {
  return objectKey({ namespace, name });
}

/** Inputs of the controller. */
export interface RegistrationInputs {
  readonly type: ResourceType;
  readonly instance: string;
  readonly graceMs: number;
  readonly registered: () => readonly RegisteredEntry[];
  /** Calls back after changes; returns a function that ends this. */
  readonly onChange: (changed: () => void) => () => void;
}

/** Writes entries until the end of the term. */
export async function runRegistration(term: Term, inputs: RegistrationInputs): Promise<void> {
  const { type, instance, graceMs } = inputs;
  const wake = new Wake();
  const items = observe<EntryItem>(term, type, { wake });
  const end = inputs.onChange(wake.poke);
  try {
    await reconcile(term, wake, {
      name: "registration",
      follows: [items],
      everyMs: EVERY_MS,
      pass: () => {
        const { writes, deletes } = entryChanges({
          instance,
          registered: inputs.registered(),
          items: items.values(),
          graceMs,
          now: Date.now(),
        });
        return applyAll(term.signal, [
          ...writes.map((write) => () => writeEntry(term, type, write)),
          ...deletes.map((item) => () => deleteEntry(term, type, item)),
        ]);
      },
    });
  } finally {
    end();
  }
  await Promise.race([markLeft(term, inputs, items.values()), pause(STOP_MS, NEVER)]);
}

/**
 * Marks the own entries as disconnected at the end of the daemon, so that another one deletes those
 * whose workloads do not come back.
 */
async function markLeft(
  { client }: Term,
  { type, instance }: RegistrationInputs,
  items: readonly EntryItem[],
): Promise<void> {
  const left = { [DISCONNECTED]: timeOf(Date.now()) };
  const own = items.filter(({ metadata: { annotations = {} } }) =>
    annotations[CONTROLLER] === instance && annotations[DISCONNECTED] === undefined
  );
  await Promise.allSettled(
    own.map(({ metadata: { name, namespace, resourceVersion } }) =>
      mergePatch(client, type, { name, namespace: namespace! }, {
        metadata: { resourceVersion, annotations: left },
      })
    ),
  );
}

async function writeEntry(
  { client }: Term,
  type: ResourceType,
  { object, healthy }: EntryWrite,
): Promise<void> {
  await applyObject(client, type, object, { manager: MANAGER, force: true });
  const { name, namespace } = object.metadata;
  const now = new Date().toISOString();
  const condition = { type: HEALTHY, status: healthy ? "True" : "False", lastProbeTime: now };
  await mergePatch(client, type, { name, namespace: namespace!, subresource: "status" }, {
    status: { conditions: [condition] },
  });
}

/** Deletes an entry in the version that was seen: another daemon may have taken it over. */
async function deleteEntry({ client }: Term, type: ResourceType, item: EntryItem): Promise<void> {
  const { name, namespace, resourceVersion } = item.metadata;
  await deleteObject(client, type, { name, namespace: namespace! }, {
    resourceVersion: resourceVersion!,
  })
    .catch((error) => {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
}
