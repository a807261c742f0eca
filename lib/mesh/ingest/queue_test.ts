import assert from "node:assert/strict";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import type { ConfigObject } from "../model/mod.ts";
import { deletionOf, upsertOf } from "./changes.ts";
import { createQueue, type Queue } from "./queue.ts";

function entry(name: string, host: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}}
spec: {hosts: [${host}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: NONE}
`;
}

function emptyQueue(current?: ConfigObject, time = () => 0): Queue {
  return createQueue({ current: () => current, time });
}

const upsert = (object: ConfigObject | undefined) => upsertOf(object!)!;

Deno.test("the latest of several versions of an object is taken, once", () => {
  const queue = emptyQueue();
  const [first, second] = objectsOf(
    [entry("a", "one.example"), entry("a", "two.example")].join("---\n"),
  );
  assert.equal(queue.add(upsert(first)), "service");
  queue.add(upsert(second));
  assert.equal(queue.latest("ServiceEntry", "default/a"), second);
  assert.deepEqual(queue.take().objects?.map((change) => change.object), [second]);
  assert.deepEqual(queue.take().objects, []);
});

Deno.test("an object that was added and deleted is a deletion", () => {
  const queue = emptyQueue();
  const [object] = objectsOf(entry("a", "one.example"));
  queue.add(upsert(object));
  queue.add(deletionOf({ kind: "ServiceEntry", namespace: "default", name: "a" })!);
  assert.equal(queue.latest("ServiceEntry", "default/a"), undefined);
  assert.deepEqual(queue.take().objects, [
    { kind: "ServiceEntry", key: "default/a", object: undefined },
  ]);
});

Deno.test("a ServiceEntry of which only endpoints change is a change of endpoints", () => {
  const version = (endpoint: string, port: number): string =>
    `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a}
spec:
  hosts: [a.example]
  resolution: STATIC
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  endpoints: [{address: ${endpoint}}]
`;
  const [old, moved, other] = objectsOf(
    [version("10.0.0.1", 80), version("10.0.0.2", 80), version("10.0.0.2", 81)].join("---\n"),
  );
  assert.equal(emptyQueue(old).add(upsert(moved)), "endpoint");
  assert.equal(emptyQueue(old).add(upsert(other)), "service");
});

Deno.test("object changes are counted by type", () => {
  const counted: string[] = [];
  const queue = createQueue({
    current: () => undefined,
    time: () => 0,
    onChange: (type) => counted.push(type),
  });
  queue.add(upsert(objectsOf(entry("a", "one.example"))[0]));
  for (const kind of ["ServiceEntry", "WorkloadEntry", "Gateway"]) {
    queue.add(deletionOf({ kind, namespace: "default", name: "a" })!);
  }
  assert.deepEqual(counted, ["svc", "svcdelete", "eds", "config"]);
});

Deno.test("the first of several edits of an object decides when it was seen", () => {
  let now = 10;
  const queue = emptyQueue(undefined, () => now);
  const [object] = objectsOf(entry("a", "one.example"));
  queue.add(upsert(object));
  now = 20;
  queue.add(upsert(object));
  queue.take();
  assert.equal(queue.seenAt("ServiceEntry", "default/a"), 10);
  assert.equal(queue.seenAt("ServiceEntry", "default/b"), undefined);
  queue.take();
  assert.equal(queue.seenAt("ServiceEntry", "default/a"), undefined);
});

Deno.test("settings: maps are merged by key, the rest is replaced", () => {
  const queue = emptyQueue();
  const keys = (jwks: string) => ({ keySets: new Map([[`https://${jwks}`, { jwks }]]) });
  assert.deepEqual([...queue.addSettings(keys("a"))], ["global"]);
  queue.addSettings(keys("b"));
  queue.addSettings({ credentials: new Map([["ns/a", undefined]]) });
  const { keySets, credentials, mesh } = queue.take();
  assert.deepEqual([...keySets?.keys() ?? []], ["https://a", "https://b"]);
  assert.deepEqual([...credentials ?? []], [["ns/a", undefined]]);
  assert.equal(mesh, undefined);
  assert.equal(queue.take().keySets, undefined);
});
