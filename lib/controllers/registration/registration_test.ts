import assert from "node:assert/strict";
import { create } from "../../proto/mod.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { RegisteredEntry } from "../../sources/mod.ts";
import {
  CONNECTED,
  CONTROLLER,
  DISCONNECTED,
  entryChanges,
  type EntryItem,
} from "./registration.ts";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const SINCE = NOW - 60_000;

function registered(rest: Partial<RegisteredEntry> = {}): RegisteredEntry {
  const meta = {
    kind: "WorkloadEntry",
    namespace: "vm",
    name: "g-10.0.0.1",
    labels: {},
    annotations: { "mesh.io/autoRegistrationGroup": "g" },
    generation: 1,
    creationTime: SINCE,
    origin: { source: "registration" },
  };
  const spec = create(WorkloadEntrySchema, { address: "10.0.0.1" });
  return {
    entry: {
      meta,
      spec: { ...spec, ports: {}, labels: {}, network: "", locality: "" },
      digest: "",
    },
    since: SINCE,
    disconnectedAt: undefined,
    ...rest,
  };
}

function item(annotations: Record<string, string>): EntryItem {
  return {
    metadata: {
      name: "g-10.0.0.1",
      namespace: "vm",
      labels: {},
      annotations: { "mesh.io/autoRegistrationGroup": "g", ...annotations },
    },
    spec: { address: "10.0.0.1" },
    status: { conditions: [{ type: "Healthy", status: "True" }] },
  };
}

function changes(own: readonly RegisteredEntry[], items: readonly EntryItem[]) {
  const state = { instance: "me", registered: own, items, graceMs: 10_000, now: NOW };
  const { writes, deletes } = entryChanges(state);
  return [writes.length, deletes.length];
}

const time = (ms: number) => new Date(ms).toISOString();
const OWN = { [CONTROLLER]: "me", [CONNECTED]: time(SINCE) };

Deno.test("an entry is written once, again when its workload leaves, and deleted in the end", () => {
  assert.deepEqual(changes([registered()], []), [1, 0]);
  assert.deepEqual(changes([registered()], [item(OWN)]), [0, 0]);
  assert.deepEqual(changes([registered({ disconnectedAt: NOW })], [item(OWN)]), [1, 0]);
  assert.deepEqual(changes([], [item(OWN)]), [0, 1]);
});

Deno.test("one owner: the daemon to which the workload connected last", () => {
  const earlier = { [CONTROLLER]: "other", [CONNECTED]: time(SINCE - 1) };
  const later = { [CONTROLLER]: "other", [CONNECTED]: time(SINCE + 1) };
  const left = { ...later, [DISCONNECTED]: time(NOW - 1_000) };
  assert.deepEqual(changes([registered()], [item(earlier)]), [1, 0]);
  assert.deepEqual(changes([registered()], [item(later)]), [0, 0]);
  assert.deepEqual(changes([registered()], [item(left)]), [1, 0], "it left the other one");
  assert.deepEqual(changes([registered({ disconnectedAt: NOW })], [item(later)]), [0, 0]);
});

Deno.test("entries of ended daemons are deleted after the grace time; others stay", () => {
  const left = (ms: number) => ({ [CONTROLLER]: "gone", [DISCONNECTED]: time(NOW - ms) });
  assert.deepEqual(changes([], [item(left(16_000))]), [0, 1]);
  assert.deepEqual(changes([], [item(left(12_000))]), [0, 0]);
  assert.deepEqual(changes([], [item({ [CONTROLLER]: "other" })]), [0, 0]);
  assert.deepEqual(changes([], [item({})]), [0, 0], "written by a person");
});
