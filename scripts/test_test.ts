import assert from "node:assert/strict";
import { requestOf, targetsOf } from "./test.ts";

const names = (args: string[]) => requestOf(args).tiers.map((tier) => tier.name);

Deno.test("test: without a tier all run, in order of cost", () => {
  assert.deepEqual(names([]), ["unit", "wire", "surface", "e2e"]);
  assert.deepEqual(names(["--filter", "unit"]), ["unit", "wire", "surface", "e2e"]);
  assert.deepEqual(names(["e2e", "unit"]), ["unit", "e2e"]);
});

Deno.test("test: paths narrow the tiers, flags go to the runner", () => {
  const request = requestOf(["unit", "./lib/graph/", "--filter", "law"]);
  assert.deepEqual(request.paths, ["./lib/graph/"]);
  assert.deepEqual(request.flags, ["--filter", "law"]);
  assert.deepEqual(targetsOf(request.tiers[0]!, request.paths), ["lib/graph"]);
});

Deno.test("test: a path runs in its own tier only", () => {
  const { tiers, paths } = requestOf(["tests/wire/delta_test.ts"]);
  assert.deepEqual(tiers.map((tier) => targetsOf(tier, paths)), [
    [],
    [
      "tests/wire/delta_test.ts",
    ],
    [],
    [],
  ]);
});
