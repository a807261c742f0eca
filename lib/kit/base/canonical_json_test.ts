import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalJson } from "./canonical_json.ts";
import { MeshError } from "./error.ts";
import { hash } from "./hash.ts";

const CASES: [name: string, value: unknown, json: string][] = [
  ["keys by code unit", { b: 1, a: 2, B: 3 }, `{"B":3,"a":2,"b":1}`],
  ["members that are undefined", { a: undefined, b: [undefined] }, `{"b":[null]}`],
  ["bigints as digits", { n: 2n ** 63n }, `{"n":9223372036854775808}`],
  ["bytes as base64", new Uint8Array([1, 2, 255]), `"AQL/"`],
  ["negative zero", [-0], "[0]"],
  ["nested values", { a: [{ z: null, y: "é\n" }] }, `{"a":[{"y":"é\\n","z":null}]}`],
  ["a key that names the prototype", JSON.parse(`{"__proto__":1}`), `{"__proto__":1}`],
];

for (const [name, value, json] of CASES) {
  Deno.test(`canonicalJson: ${name}`, () => assert.equal(canonicalJson(value), json));
}

for (const value of [NaN, Infinity, () => 1, Symbol("x"), undefined]) {
  Deno.test(`canonicalJson refuses ${String(value)}`, () => {
    assert.throws(() => canonicalJson(value), (error) => error instanceof MeshError);
  });
}

Deno.test("canonicalJson does not depend on the order of insertion", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const turned = Object.fromEntries(Object.entries(value).reverse());
    assert.equal(canonicalJson(turned), canonicalJson(value));
    assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("hash gives 22 characters of base64url SHA-256, for text as for its bytes", () => {
  // First 16.5 bytes of the SHA-256 of nothing: e3b0c44298fc1c149afbf4c8996fb924 27…
  assert.equal(hash(""), "47DEQpj8HBSa-_TImW-5JC");
  assert.equal(hash("é"), hash(new TextEncoder().encode("é")));
  assert.notEqual(hash("a"), hash("b"));
});
