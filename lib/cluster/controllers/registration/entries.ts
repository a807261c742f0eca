/**
 * Changes of WorkloadEntries that a daemon makes for registered workloads. Annotations say which
 * daemon has written an entry.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { ListItem, OrchObject } from "../../../kit/orch/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import { toJson } from "../../../kit/proto/mod.ts";
import type { RegisteredEntry } from "../../../mesh/sources/mod.ts";
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";

/** Annotation with the daemon that writes the entry. */
export const CONTROLLER = "mesh.io/workloadController";
/** Annotation with the time of the first connection, RFC 3339. */
export const CONNECTED = "mesh.io/connectedAt";
/** Annotation with the time of the end of the last connection, RFC 3339. */
export const DISCONNECTED = "mesh.io/disconnectedAt";
/** Type of the condition with the reported health. */
export const HEALTHY = "Healthy";
/** A daemon has this time to delete its entries before others do, in milliseconds. */
const OTHERS_MS = 5_000;
/** Part of the maximum age of connections that is added to it, before an entry counts as abandoned. */
const AGE_MARGIN = 0.5;

/** A WorkloadEntry of the API. */
export interface EntryItem extends ListItem {
  readonly spec?: unknown;
  readonly status?: {
    readonly conditions?: readonly EntryCondition[];
  };
}

/** A condition; those of other writers have further fields. */
export interface EntryCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The conditions with that of the health, which replaces only its own type. */
export function withHealth(
  conditions: readonly EntryCondition[],
  healthy: boolean,
  now: Date,
): EntryCondition[] {
  const status = healthy ? "True" : "False";
  const time = now.toISOString();
  const before = conditions.find(({ type }) => type === HEALTHY);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime ?? time : time;
  const own = { type: HEALTHY, status, lastProbeTime: time, lastTransitionTime };
  return [...conditions.filter(({ type }) => type !== HEALTHY), own];
}

export interface EntryWrite {
  readonly object: OrchObject & { readonly spec: unknown };
  readonly healthy: boolean;
  /** True: the entry has the time of a disconnection that is over. */
  readonly isBack: boolean;
}

/** Changes that bring the orchestrator's entries to the daemon's registrations. */
export interface EntryChanges {
  readonly writes: readonly EntryWrite[];
  readonly deletes: readonly EntryItem[];
  /** Entries of daemons that have ended without marking them as disconnected. */
  readonly left: readonly EntryItem[];
}

/** The observed state. */
export interface ObservedEntries {
  /** Name of this daemon. */
  readonly instance: string;
  readonly registered: readonly RegisteredEntry[];
  /** WorkloadEntries that some daemon wrote. */
  readonly items: readonly EntryItem[];
  readonly graceMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reports if a daemon has ended; `undefined`: it has no heartbeat. */
  readonly hasEnded: (controller: string) => boolean | undefined;
  /** Connections end after this time, in milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * The changes. An entry of another daemon is taken over if the workload is connected here and has
 * disconnected there, or connected here later.
 */
export function entryChanges(observed: ObservedEntries): EntryChanges {
  const { instance, registered, items, graceMs, now } = observed;
  const present = new Map(items.map((item) => [keyOf(item.metadata), item]));
  const wanted = new Set<string>();
  const writes: EntryWrite[] = [];
  for (const one of registered) {
    const key = keyOf(one.entry.meta);
    wanted.add(key);
    const current = present.get(key);
    if (!mayWrite(one, current, instance)) continue;
    const write = writeOf(one, current, instance);
    if (current === undefined || differs(write, current)) writes.push(write);
  }
  const deletes = items.filter((item) => {
    const { [CONTROLLER]: controller, [DISCONNECTED]: left } = item.metadata.annotations ?? {};
    if (controller === undefined) return false;
    if (controller === instance) return !wanted.has(keyOf(item.metadata));
    // Its daemon may have ended. An own pause on top leaves the deletion to that daemon first.
    return left !== undefined && now - Date.parse(left) > graceMs + OTHERS_MS;
  });
  const written = new Set(writes.map(({ object }) => keyOf(object.metadata)));
  const left = items.filter((item) =>
    !written.has(keyOf(item.metadata)) && isAbandoned(item, observed)
  );
  return { writes, deletes, left };
}

/**
 * Reports if the daemon of an entry has ended without marking it. A daemon without a heartbeat is
 * of another version: the age of the connection decides.
 */
function isAbandoned(
  { metadata: { annotations = {} } }: EntryItem,
  { instance, now, hasEnded, maxAgeMs }: ObservedEntries,
): boolean {
  const { [CONTROLLER]: controller, [CONNECTED]: connected = "", [DISCONNECTED]: left } =
    annotations;
  if (controller === undefined || controller === instance || left !== undefined) return false;
  return hasEnded(controller) ?? now - Date.parse(connected) > maxAgeMs * (1 + AGE_MARGIN);
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
  current: EntryItem | undefined,
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
    isBack: disconnectedAt === undefined &&
      current?.metadata.annotations?.[DISCONNECTED] !== undefined,
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

/** A time as annotations have it, RFC 3339. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function keyOf({ namespace = "", name }: { readonly namespace?: string; readonly name: string }) {
  return objectKey({ namespace, name });
}
