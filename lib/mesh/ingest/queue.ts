/**
 * Changes that wait to be written: the latest version of each object, taken together for one
 * publication.
 *
 * @module
 */
import { rowRef } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { equals } from "../../kit/proto/mod.ts";
import type { TableKind } from "../schema/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { ChangeSet, ObjectChange } from "./changes.ts";
import type { Trigger } from "./debounce.ts";
import type { SettingChanges } from "./source.ts";

/** Kinds of object change, the label `type` of the metric `pilot_inbound_updates`. */
export type InboundType = "config" | "eds" | "svc" | "svcdelete";

/** Waiting changes. */
export interface Queue {
  /** Adds the change of an object; returns the kind of change. */
  add(change: ObjectChange): Trigger;
  /** Adds changes of settings; returns the kinds of change. */
  addSettings(changes: SettingChanges): Set<Trigger>;
  /** The version of an object that waits, otherwise the one in its table. */
  latest(kind: TableKind, key: string): ConfigObject | undefined;
  /** All that waits. The queue is empty afterwards. */
  take(): ChangeSet;
  /**
   * When the first change of an object, of those that were taken last, was seen; by
   * `QueueOptions.time`.
   */
  seenAt(kind: string, key: string): number | undefined;
}

export interface QueueOptions {
  /** The version of an object in its table. */
  readonly current: (kind: TableKind, key: string) => ConfigObject | undefined;
  /** Milliseconds since the epoch. */
  readonly time: () => number;
  /** Called for each object change. */
  readonly onChange?: (type: InboundType) => void;
}

/** Creates an empty queue. */
export function createQueue({ current, time, onChange }: QueueOptions): Queue {
  let objects = new Map<string, ObjectChange>();
  let settings: SettingChanges = {};
  let seen = new Map<string, number>();
  let taken = new Map<string, number>();
  const latest: Queue["latest"] = (kind, key) => {
    const waiting = objects.get(rowRef({ table: kind, key }));
    return waiting === undefined ? current(kind, key) : waiting.object;
  };
  return {
    latest,
    add: (change) => {
      const { kind, key, object } = change;
      const id = rowRef({ table: kind, key });
      const trigger = triggerOf(kind, latest(kind, key), object);
      objects.set(id, change);
      if (!seen.has(id)) seen.set(id, time());
      onChange?.(INBOUND[trigger] ?? (object === undefined ? "svcdelete" : "svc"));
      return trigger;
    },
    addSettings: (changes) => {
      const { mesh, networks, keySets, gatewayNames, authorityRoots, credentials } = changes;
      const triggers = new Set<Trigger>();
      if (networks ?? gatewayNames) triggers.add("networks");
      if (mesh ?? keySets ?? authorityRoots ?? credentials) triggers.add("global");
      settings = {
        mesh: mesh ?? settings.mesh,
        networks: networks ?? settings.networks,
        keySets: merged(settings.keySets, keySets),
        gatewayNames: merged(settings.gatewayNames, gatewayNames),
        authorityRoots: authorityRoots ?? settings.authorityRoots,
        credentials: merged(settings.credentials, credentials),
      };
      return triggers;
    },
    take: () => {
      const all = { ...settings, objects: [...objects.values()] };
      objects = new Map();
      settings = {};
      [taken, seen] = [seen, new Map()];
      return all;
    },
    seenAt: (kind, key) => taken.get(rowRef({ table: kind, key })),
  };
}

function merged<V>(
  a: ReadonlyMap<string, V> | undefined,
  b: ReadonlyMap<string, V> | undefined,
): ReadonlyMap<string, V> | undefined {
  return a === undefined || b === undefined ? a ?? b : new Map([...a, ...b]);
}

/** Changes of services count as `svc` or `svcdelete`. */
const INBOUND: Readonly<Partial<Record<Trigger, InboundType>>> = {
  config: "config",
  endpoint: "eds",
};

function triggerOf(
  kind: TableKind,
  before: ConfigObject | undefined,
  after: ConfigObject | undefined,
): Trigger {
  if (kind === "WorkloadEntry") return "endpoint";
  if (kind !== "ServiceEntry") return "config";
  return sameButEndpoints(before, after) ? "endpoint" : "service";
}

/**
 * True when two versions of a ServiceEntry differ only in endpoints that proxies receive separately
 * from clusters (EDS).
 */
function sameButEndpoints(before?: ConfigObject, after?: ConfigObject): boolean {
  if (before === undefined || after === undefined) return false;
  const [a, b] = [before.spec as ServiceEntry, after.spec as ServiceEntry];
  return b.resolution === ServiceEntry_Resolution.STATIC &&
    equals(ServiceEntrySchema, { ...a, endpoints: [] }, { ...b, endpoints: [] });
}
