import assert from "node:assert/strict";
import { objectsOf } from "../../tests/support/mesh_fixture.ts";
import { createPending } from "./pending.ts";

function entry(name: string, host: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}}
spec: {hosts: [${host}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: NONE}
`;
}

Deno.test("of several changes of one object the newest counts, and is taken once", () => {
  const pending = createPending();
  const [first, second] = objectsOf(
    [entry("a", "one.example"), entry("a", "two.example")].join("---\n"),
  );
  assert.deepEqual(
    [...pending.addObjects({ upserts: [first!], deletes: [] })],
    ["service"],
  );
  pending.addObjects({ upserts: [second!], deletes: [] });
  const taken = pending.take();
  assert.deepEqual(taken.objects?.map((c) => c.object), [second]);
  assert.deepEqual(pending.take().objects, []);
});

Deno.test("an object that came and went is a removal", () => {
  const pending = createPending();
  const [object] = objectsOf(entry("a", "one.example"));
  pending.addObjects({ upserts: [object!], deletes: [] });
  const identity = { kind: "ServiceEntry", namespace: "default", name: "a" };
  pending.addObjects({ upserts: [], deletes: [identity] });
  assert.deepEqual(pending.take().objects, [
    { kind: "ServiceEntry", key: "default/a", object: undefined },
  ]);
});

Deno.test("a ServiceEntry that changes in its endpoints alone is a change of endpoints", () => {
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
  const kinds = (next: typeof old): string[] => {
    const pending = createPending(() => old);
    return [...pending.addObjects({ upserts: [next!], deletes: [] })];
  };
  assert.deepEqual(kinds(moved), ["endpoint"]);
  assert.deepEqual(kinds(other), ["service"]);
});

Deno.test("the first of several edits of an object tells when it was seen, until the next are taken", () => {
  let now = 10;
  const pending = createPending(undefined, () => now);
  const [object] = objectsOf(entry("a", "one.example"));
  pending.addObjects({ upserts: [object!], deletes: [] });
  now = 20;
  pending.addObjects({ upserts: [object!], deletes: [] });
  pending.take();
  assert.equal(pending.seenAt("ServiceEntry", "default/a"), 10);
  assert.equal(pending.seenAt("ServiceEntry", "default/b"), undefined);
  pending.take();
  assert.equal(pending.seenAt("ServiceEntry", "default/a"), undefined);
});
