/** Changes of followed objects: contents, versions, parts. */
import assert from "node:assert/strict";
import { allSteps } from "../base/mod.ts";
import { createHeld, type HeldObjects, type WatchEvent } from "./held.ts";
import type { ListItem } from "./object.ts";

interface Item extends ListItem {
  readonly status?: { readonly ready?: boolean; readonly heartbeat?: number };
}

function item(version: number, status: Item["status"], meta: Record<string, unknown> = {}): Item {
  const metadata = {
    name: "a",
    namespace: "one",
    uid: "u",
    resourceVersion: `${version}`,
    ...meta,
  };
  return { metadata, status: status! };
}

const prepared = <V>(held: HeldObjects<V>, item: Item) => allSteps(held.prepare(item));
const apply = <V>(held: HeldObjects<V>, ...events: WatchEvent[]) =>
  held.apply(allSteps(held.prepareEvents(events)));
const modified = (object: Item): WatchEvent => ({ type: "MODIFIED", object });

Deno.test("a write that changes nothing but the resource version is no change, and its version is kept", () => {
  const held = createHeld({ convert: (object) => object });
  held.replace([prepared(held, item(1, { ready: true }))]);
  const managed = item(2, { ready: true }, { managedFields: [{ manager: "m" }] });
  assert.deepEqual(apply(held, modified(managed)), { upserts: [], deletes: [] });
  assert.equal(held.get({ namespace: "one", name: "a" })?.metadata.resourceVersion, "2");
  assert.deepEqual([...held.versions()].map(([, version]) => version), ["u/2"]);
  assert.deepEqual(held.replace([prepared(held, item(3, { ready: true }))]).upserts, []);
  assert.equal(held.get({ namespace: "one", name: "a" })?.metadata.resourceVersion, "3");
  assert.equal(apply(held, modified(item(4, { ready: false }))).upserts.length, 1);
});

Deno.test("another object of the name, and other contents of a version, are changes", () => {
  const held = createHeld({ convert: (object) => object });
  held.replace([prepared(held, item(1, { ready: true }))]);
  assert.equal(apply(held, modified(item(1, { ready: false }))).upserts.length, 1);
  assert.equal(apply(held, modified(item(2, { ready: false }, { uid: "v" }))).upserts.length, 1);
});

Deno.test("fields that no value is made from are no change", () => {
  const held = createHeld({
    convert: (object) => ({
      name: object.metadata.name,
      ready: (object as Item).status?.ready ?? false,
    }),
    contentOf: (value) => value,
  });
  held.replace([prepared(held, item(1, { ready: true, heartbeat: 1 }))]);
  const beat = modified(item(2, { ready: true, heartbeat: 2 }));
  assert.deepEqual(apply(held, beat).upserts, []);
  assert.deepEqual([...held.versions()].map(([, version]) => version), ["u/2"]);
  const changed = apply(held, modified(item(3, { ready: false, heartbeat: 3 })));
  assert.deepEqual(changed.upserts, [{ name: "a", ready: false }]);
});

Deno.test("an event is made ready in the steps of its conversion, before it is applied", () => {
  const held = createHeld({
    convert: () => 0,
    *convertInSteps() {
      yield;
      yield;
      return 3;
    },
  });
  const steps = held.prepareEvents([modified(item(1, {})), {
    ...modified(item(1, {})),
    type: "DELETED",
  }]);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  assert.ok(count >= 4, `${count} steps`);
  assert.equal(held.size, 0);
  const { upserts, deletes } = held.apply(step.value.slice(0, 1));
  assert.deepEqual([upserts, deletes, held.size], [[3], [], 1]);
  assert.equal(held.apply(step.value.slice(1)).deletes.length, 1);
});
