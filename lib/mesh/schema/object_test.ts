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

Deno.test("objects with thousands of parts are read, checked and compared in steps", () => {
  const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 640 }, (_, i) => item(i));
  const routes = many((i) => ({
    match: [{ uri: { prefix: `/${i}` } }],
    route: [{ destination: { host: "web" } }],
  }));
  const cases: [kind: string, group: string, spec: Record<string, unknown>][] = [
    ["DestinationRule", "networking", { host: "web", subsets: many((i) => ({ name: `s${i}` })) }],
    ["VirtualService", "networking", { hosts: ["web"], http: routes }],
    ["AuthorizationPolicy", "security", {
      rules: many((i) => ({ to: [{ operation: { paths: [`/${i}`] } }] })),
    }],
    ["Gateway", "networking", {
      servers: many((i) => ({
        port: { number: 80, name: `http-${i}`, protocol: "HTTP" },
        hosts: [`h${i}.test`],
      })),
    }],
  ];
  for (const [kind, group, spec] of cases) {
    const object = {
      apiVersion: `${group}.mesh.io/v1`,
      kind,
      metadata: { name: "many", namespace: "shop" },
      spec,
    };
    const steps = checkObjectInSteps(object);
    let pauses = 0;
    let last = steps.next();
    for (; !last.done; last = steps.next()) pauses++;
    assert.deepEqual(last.value.problems, [], kind);
    // Nine within reading, nine within checking, ten within the digest, and those between them.
    assert.ok(pauses >= 9 + 9 + 10 + 3, `${kind}: ${pauses}`);
  }
});

Deno.test("a change anywhere in a long list changes the digest, and nothing else does", () => {
  const digest = (names: readonly string[], labels = {}): string => {
    const { object, problems } = checkObject({
      apiVersion: "networking.mesh.io/v1",
      kind: "DestinationRule",
      metadata: { name: "many", namespace: "shop", labels },
      spec: { host: "web", subsets: names.map((name) => ({ name })) },
    });
    assert.deepEqual(problems, []);
    return object!.digest;
  };
  const names = Array.from({ length: 200 }, (_, i) => `s${i}`);
  assert.equal(digest(names), digest([...names]));
  const others = [
    ...[0, 63, 64, 128, 199].map((at) => digest(names.with(at, "other"))),
    digest(names.slice(0, 199)),
    digest(names.slice(0, 64)),
    digest([...names.slice(64), ...names.slice(0, 64)]),
    digest(names, { a: "b" }),
  ];
  assert.equal(new Set([digest(names), ...others]).size, others.length + 1);
});
