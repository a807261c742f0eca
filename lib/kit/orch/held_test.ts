/** Changes of followed objects: contents, versions, parts. */
import assert from "node:assert/strict";
import { createHeld, type WatchEvent } from "./held.ts";
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

const modified = (object: Item): WatchEvent => ({ type: "MODIFIED", object });

Deno.test("a write that changes nothing but the resource version is no change, and its version is kept", () => {
  const held = createHeld((object) => object);
  held.replace([held.prepare(item(1, { ready: true }))]);
  const managed = item(2, { ready: true }, { managedFields: [{ manager: "m" }] });
  assert.deepEqual(held.apply([modified(managed)]), { upserts: [], deletes: [] });
  assert.equal(held.get({ namespace: "one", name: "a" })?.metadata.resourceVersion, "2");
  assert.deepEqual([...held.versions()].map(([, version]) => version), ["u/2"]);
  assert.deepEqual(held.replace([held.prepare(item(3, { ready: true }))]).upserts, []);
  assert.equal(held.get({ namespace: "one", name: "a" })?.metadata.resourceVersion, "3");
  assert.equal(held.apply([modified(item(4, { ready: false }))]).upserts.length, 1);
});

Deno.test("another object of the name, and other contents of a version, are changes", () => {
  const held = createHeld((object) => object);
  held.replace([held.prepare(item(1, { ready: true }))]);
  assert.equal(held.apply([modified(item(1, { ready: false }))]).upserts.length, 1);
  assert.equal(held.apply([modified(item(2, { ready: false }, { uid: "v" }))]).upserts.length, 1);
});

Deno.test("fields that no value is made from are no change", () => {
  const held = createHeld(
    (object) => ({ name: object.metadata.name, ready: (object as Item).status?.ready ?? false }),
    (value) => value,
  );
  held.replace([held.prepare(item(1, { ready: true, heartbeat: 1 }))]);
  const beat = modified(item(2, { ready: true, heartbeat: 2 }));
  assert.deepEqual(held.apply([beat]).upserts, []);
  assert.deepEqual([...held.versions()].map(([, version]) => version), ["u/2"]);
  const changed = held.apply([modified(item(3, { ready: false, heartbeat: 3 }))]);
  assert.deepEqual(changed.upserts, [{ name: "a", ready: false }]);
});
