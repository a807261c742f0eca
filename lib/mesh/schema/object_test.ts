import assert from "node:assert/strict";
import { checkObject } from "./mod.ts";

const virtualService = (hosts: readonly string[]) => ({
  apiVersion: "networking.mesh.io/v1",
  kind: "VirtualService",
  metadata: { name: "a", namespace: "shop" },
  spec: { hosts, http: [{ route: [{ destination: { host: "a" } }] }] },
});
const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}.test`);

Deno.test("an object of very many values is refused before it is read", () => {
  assert.deepEqual(checkObject(virtualService(hosts(50_000))).problems, []);
  const { object, identity, problems } = checkObject(virtualService(hosts(60_000)));
  assert.equal(object, undefined);
  assert.deepEqual(identity, { kind: "VirtualService", namespace: "shop", name: "a" });
  assert.deepEqual(problems.map(({ path, code, message }) => [path, code, message]), [
    ["", "too-large", "the object has more than 60000 values"],
  ]);
});
