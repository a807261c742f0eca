import assert from "node:assert/strict";
import { checkObject, checkObjectInSteps } from "./mod.ts";

const gateway = (hosts: readonly string[]) => ({
  apiVersion: "networking.mesh.io/v1",
  kind: "Gateway",
  metadata: { name: "a", namespace: "shop" },
  spec: { servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts }] },
});
const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}.test`);

Deno.test("an object of very many values is refused before it is read", () => {
  assert.deepEqual(checkObject(gateway(hosts(50_000))).problems, []);
  const { object, identity, problems } = checkObject(gateway(hosts(60_000)));
  assert.equal(object, undefined);
  assert.deepEqual(identity, { kind: "Gateway", namespace: "shop", name: "a" });
  assert.deepEqual(problems.map(({ path, code, message }) => [path, code, message]), [
    ["", "too-large", "the object has more than 60000 values"],
  ]);
});

Deno.test("an object that is read in steps is what it is at once", () => {
  // The steps after reading, after checking, and before the digest of a valid object.
  const cases: [unknown, number][] = [[gateway(hosts(3)), 3], [gateway(["a b"]), 2], [{}, 0]];
  for (const [value, expected] of cases) {
    const steps = checkObjectInSteps(value);
    let pauses = 0;
    let last = steps.next();
    for (; !last.done; last = steps.next()) pauses++;
    assert.deepEqual(last.value, checkObject(value));
    assert.equal(pauses, expected);
  }
});
