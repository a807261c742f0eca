import assert from "node:assert/strict";
import fc from "fast-check";
import { meshOf } from "../../../../tests/support/mesh_fixture.ts";

/** A ServiceEntry of so many hosts. */
function entry(hosts: readonly string[], more = "resolution: STATIC", name = "e"): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: default}
spec: {hosts: [${
    hosts.map((h) => `"${h}"`).join(", ")
  }], ports: [{number: 90, name: tcp, protocol: TCP}], ${more}}
`;
}

function given(yaml: string, host: string): readonly string[] {
  const mesh = meshOf(yaml);
  return mesh.graph.peek(mesh.autoAddresses, host);
}

const MANY = Array.from({ length: 5000 }, (_, i) => `host-${i}.example`);

Deno.test("every host without an address gets its own address of each family", () => {
  const mesh = meshOf(entry(MANY));
  const all = MANY.map((host) => mesh.graph.peek(mesh.autoAddresses, host));
  assert.ok(all.every((addresses) => addresses.length === 2));
  assert.equal(new Set(all.flat()).size, 2 * MANY.length);
  for (const [v4 = "", v6 = ""] of all) {
    const [a, b, c, d] = v4.split(".").map(Number);
    assert.deepEqual([a, b], [240, 240]);
    assert.ok(c! <= 255 && d! > 0 && d! < 255, v4);
    assert.equal(v6, `2001:2::f0f0:${(c! * 256 + d!).toString(16)}`);
  }
});

const CASES: readonly [name: string, more: string, host: string][] = [
  ["one with an address", "resolution: STATIC, addresses: [10.0.0.1]", "a.example"],
  ["one with a range", "resolution: STATIC, addresses: [10.0.0.0/8]", "a.example"],
  [
    "one without resolution: calls go to where they were meant to go",
    "resolution: NONE",
    "a.example",
  ],
  ["a wildcard", "resolution: NONE", "*.example"],
  ["one that nothing defines", "resolution: DNS", "b.example"],
];

for (const [name, more, host] of CASES) {
  Deno.test(`no address is allocated to ${name}`, () => {
    assert.deepEqual(given(entry([host.startsWith("*") ? host : "a.example"], more), host), []);
  });
}

Deno.test("an address stays whatever else comes and goes, but for the few that begin alike", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...MANY), { maxLength: 40 }), (others) => {
      const [alone] = given(entry(["a.example"]), "a.example");
      const [among] = given(entry([...others, "a.example"]), "a.example");
      assert.equal(among, alone);
    }),
    { numRuns: 20 },
  );
});

Deno.test("an address in use is not allocated", () => {
  const [first = ""] = given(entry(["a.example"]), "a.example");
  const owner = entry(["b.example"], `resolution: STATIC, addresses: ["${first}"]`, "owner");
  const [moved] = given(`${entry(["a.example"])}---\n${owner}`, "a.example");
  assert.notEqual(moved, undefined);
  assert.notEqual(moved, first);
});
