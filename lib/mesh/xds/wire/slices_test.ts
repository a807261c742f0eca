import assert from "node:assert/strict";
import type { Resource } from "../../graph/mod.ts";
import { slicesOf } from "./slices.ts";

function list(...sizes: number[]): Resource[] {
  return sizes.map((size, i) => ({ name: `${i}`, version: "1", bytes: new Uint8Array(size) }));
}

const sizeOf = (resource: Resource) => resource.bytes.byteLength;

const CASES: readonly [string, number[], number, number[][]][] = [
  ["nothing", [], 10, []],
  ["what fits exactly", [4, 6, 1], 10, [[4, 6], [1]]],
  ["resources larger than the limit", [20, 1, 30, 2], 10, [[20], [1], [30], [2]]],
  ["everything in one", [1, 2, 3], 10, [[1, 2, 3]]],
  ["no limit", [20, 30], Infinity, [[20, 30]]],
];

for (const [what, sizes, limit, expected] of CASES) {
  Deno.test(`slices of ${what}`, () => {
    const parts = slicesOf(list(...sizes), limit, sizeOf);
    assert.deepEqual(parts.map((part) => part.map(sizeOf)), expected);
  });
}

Deno.test("one list has the same slices for all, and others for another limit", () => {
  const resources = list(5, 5, 5);
  const parts = slicesOf(resources, 10, sizeOf);
  assert.equal(slicesOf(resources, 10, sizeOf), parts);
  assert.equal(slicesOf(resources, 5, sizeOf).length, 3);
});
