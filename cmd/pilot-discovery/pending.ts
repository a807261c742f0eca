/**
 * Changes on their way into the tables: gathered, the newest of each object
 * counts, applied together when it is time to publish.
 *
 * @module
 */
import { isTableKind, type TableKind } from "../../lib/schema/mod.ts";
import { type ConfigObject, objectKey } from "../../lib/model/mod.ts";
import { equals } from "../../lib/proto/mod.ts";
import type { Trigger } from "../../lib/ingest/mod.ts";
import { countInbound } from "../../lib/monitor/mod.ts";
import type { ChangeSet as SourceChanges } from "../../lib/sources/mod.ts";
import type { ChangeSet, ObjectChange } from "../../lib/translate/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";

/** What waits. */
export interface Pending {
  /** Adds the changes of a source; returns what kinds of change they are. */
  addObjects(changes: SourceChanges): ReadonlySet<Trigger>;
  addMesh(mesh: NonNullable<ChangeSet["mesh"]>): void;
  addNetworks(networks: NonNullable<ChangeSet["networks"]>): void;
  addKeySets(keySets: NonNullable<ChangeSet["keySets"]>): void;
  addCredentials(credentials: NonNullable<ChangeSet["credentials"]>): void;
  /** Everything that waits, which then waits no more. */
  take(): ChangeSet;
  /** When the edit of an object that was taken last was first seen; in terms of `now`. */
  seenAt(kind: string, key: string): number | undefined;
}

/**
 * Nothing waiting.
 *
 * @param serving the version of an object that serves now
 * @param now the time edits are stamped with
 */
export function createPending(
  serving: (kind: TableKind, key: string) => ConfigObject | undefined = () => undefined,
  now: () => number = () => 0,
): Pending {
  let objects = new Map<string, ObjectChange>();
  let seen = new Map<string, number>();
  let taken = new Map<string, number>();
  let rest: Pick<ChangeSet, "mesh" | "networks" | "keySets" | "credentials"> = {};
  const add = (
    kind: string,
    meta: { namespace: string; name: string },
    object: ConfigObject | undefined,
  ): Trigger | undefined => {
    if (!isTableKind(kind)) return undefined;
    const key = objectKey(meta);
    const before = objects.get(`${kind}/${key}`)?.object ?? serving(kind, key);
    objects.set(`${kind}/${key}`, { kind, key, object });
    if (!seen.has(`${kind}/${key}`)) seen.set(`${kind}/${key}`, now());
    const trigger = triggerOf(kind, before, object);
    countInbound(INBOUND[trigger] ?? (object === undefined ? "svcdelete" : "svc"));
    return trigger;
  };
  return {
    addObjects: ({ upserts, deletes }) => {
      const kinds = new Set<Trigger>();
      const note = (kind: Trigger | undefined): void => {
        if (kind !== undefined) kinds.add(kind);
      };
      for (const object of upserts) note(add(object.meta.kind, object.meta, object));
      for (const identity of deletes) note(add(identity.kind, identity, undefined));
      return kinds;
    },
    addMesh: (mesh) => {
      rest = { ...rest, mesh };
    },
    addNetworks: (networks) => {
      rest = { ...rest, networks };
    },
    addKeySets: (keySets) => {
      rest = { ...rest, keySets: new Map([...rest.keySets ?? [], ...keySets]) };
    },
    addCredentials: (credentials) => {
      rest = { ...rest, credentials: new Map([...rest.credentials ?? [], ...credentials]) };
    },
    take: () => {
      const all = { ...rest, objects: [...objects.values()] };
      objects = new Map();
      rest = {};
      [taken, seen] = [seen, new Map()];
      return all;
    },
    seenAt: (kind, key) => taken.get(`${kind}/${key}`),
  };
}

/** What changes are counted as; those of services by whether one went. */
const INBOUND: Readonly<Partial<Record<Trigger, "config" | "eds">>> = {
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

/** Whether two versions of a ServiceEntry differ at most in endpoints that proxies are sent apart from clusters. */
function sameButEndpoints(before?: ConfigObject, after?: ConfigObject): boolean {
  if (before === undefined || after === undefined) return false;
  const [a, b] = [before.spec as ServiceEntry, after.spec as ServiceEntry];
  return b.resolution === ServiceEntry_Resolution.STATIC &&
    equals(ServiceEntrySchema, { ...a, endpoints: [] }, { ...b, endpoints: [] });
}
