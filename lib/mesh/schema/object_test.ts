import assert from "node:assert/strict";
import { checkObject } from "./mod.ts";

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
