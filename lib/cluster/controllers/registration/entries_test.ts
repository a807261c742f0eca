import assert from "node:assert/strict";
import { create } from "../../../kit/proto/mod.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { RegisteredEntry } from "../../../mesh/sources/mod.ts";
import { type HeartbeatItem, Heartbeats } from "./heartbeat.ts";
import {
  CONNECTED,
  CONTROLLER,
  DISCONNECTED,
  entryChanges,
  type EntryItem,
  withHealth,
} from "./entries.ts";

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

/** `gone` has ended, `other` runs, and further daemons have no heartbeat. */
const ENDED: Readonly<Record<string, boolean>> = { gone: true, other: false };

function changesOf(own: readonly RegisteredEntry[], items: readonly EntryItem[]) {
  return entryChanges({
    instance: "me",
    registered: own,
    items,
    graceMs: 10_000,
    now: NOW,
    hasEnded: (controller) => ENDED[controller],
    maxAgeMs: 60_000,
  });
}

function changes(own: readonly RegisteredEntry[], items: readonly EntryItem[]) {
  const { writes, deletes } = changesOf(own, items);
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

Deno.test("entries of killed daemons are marked, unless their workload is connected here", () => {
  const left = (annotations: Record<string, string>, own: readonly RegisteredEntry[] = []) =>
    changesOf(own, [item(annotations)]).left.length;
  const connected = (ms: number) => ({ [CONNECTED]: time(NOW - ms) });
  assert.equal(left({ [CONTROLLER]: "gone", ...connected(1_000) }), 1);
  assert.equal(
    left({ [CONTROLLER]: "gone", ...connected(61_000) }, [registered()]),
    0,
    "taken over",
  );
  assert.equal(left({ [CONTROLLER]: "gone", [DISCONNECTED]: time(NOW) }), 0, "marked before");
  assert.equal(left({ [CONTROLLER]: "other", ...connected(3_600_000) }), 0, "it runs");
  assert.equal(left({ [CONTROLLER]: "me" }), 0);
  assert.equal(left({}), 0, "written by a person");
  assert.equal(
    left({ [CONTROLLER]: "old", ...connected(91_000) }),
    1,
    "longer than any connection",
  );
  assert.equal(left({ [CONTROLLER]: "old", ...connected(89_000) }), 0);
});

Deno.test("a workload that is back takes the mark away", () => {
  const isBack = (annotations: Record<string, string>, rest: Partial<RegisteredEntry> = {}) =>
    changesOf([registered(rest)], [item(annotations)]).writes.map((write) => write.isBack);
  const marked = { [CONTROLLER]: "gone", [DISCONNECTED]: time(NOW - 1_000) };
  assert.deepEqual(isBack(marked), [true]);
  assert.deepEqual(isBack({ ...OWN, [DISCONNECTED]: time(NOW) }), [true], "marked by mistake");
  assert.deepEqual(isBack(OWN, { disconnectedAt: NOW }), [false]);
});

Deno.test("silence of a daemon is measured from its last renewal that was seen", () => {
  const heartbeats = new Heartbeats();
  const lease = (holderIdentity: string, renewTime: string): HeartbeatItem => ({
    metadata: { name: holderIdentity },
    spec: { holderIdentity, renewTime },
  });
  const silence = (now: number) => ["a", "b"].map((one) => heartbeats.silenceOf(one, now));
  heartbeats.observe([lease("a", "1"), lease("b", "1")], 0, false);
  heartbeats.observe([lease("a", "2"), lease("b", "1")], 100, false);
  assert.deepEqual(silence(150), [50, 150]);
  heartbeats.observe([lease("a", "2"), lease("b", "1")], 1_000, true);
  assert.deepEqual(silence(1_000), [0, 0], "nothing could be heard");
  heartbeats.observe([lease("b", "1")], 1_100, false);
  assert.deepEqual(silence(1_100), [undefined, 100]);
});

Deno.test("the condition of the health replaces only its own type", () => {
  const other = { type: "Reconciled", status: "True", message: "all", reason: "AllProxies" };
  const first = withHealth([other], true, new Date(1000));
  assert.deepEqual(first, [other, {
    type: "Healthy",
    status: "True",
    lastProbeTime: "1970-01-01T00:00:01.000Z",
    lastTransitionTime: "1970-01-01T00:00:01.000Z",
  }]);
  const [kept, again, ...more] = withHealth(first, true, new Date(2000));
  assert.deepEqual([kept, more], [other, []]);
  assert.equal(again!.lastTransitionTime, "1970-01-01T00:00:01.000Z");
  const [, changed] = withHealth(first, false, new Date(3000));
  assert.deepEqual([changed!.status, changed!.lastTransitionTime], [
    "False",
    "1970-01-01T00:00:03.000Z",
  ]);
});

Deno.test("the annotations of an entry name the daemon and the time of the connection", () => {
  const [write] = changesOf([registered()], []).writes;
  const text = JSON.stringify(write);
  assert.ok(text.includes(`"mesh.io/workloadController":"me"`), text);
  assert.ok(text.includes(`"mesh.io/connectedAt":"${time(SINCE)}"`), text);
});
