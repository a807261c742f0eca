import assert from "node:assert/strict";
import { requestOf, targetsOf } from "./test.ts";

const ALL = ["unit", "wire", "surface", "e2e", "orch", "node", "attacks", "grpc-js"];
const names = (args: string[]) => requestOf(args).tiers.map((tier) => tier.name);

Deno.test("test: without a tier all run, in order of cost", () => {
  assert.deepEqual(names([]), ALL);
  assert.deepEqual(names(["--filter", "unit"]), ALL);
  assert.deepEqual(names(["e2e", "unit"]), ["unit", "e2e"]);
});

Deno.test("test: paths narrow the tiers, flags go to the runner", () => {
  const request = requestOf(["unit", "./lib/mesh/graph/", "--filter", "law"]);
  assert.deepEqual(request.paths, ["./lib/mesh/graph/"]);
  assert.deepEqual(request.flags, ["--filter", "law"]);
  assert.deepEqual(targetsOf(request.tiers[0]!, request.paths), ["lib/mesh/graph"]);
});

Deno.test("test: the separator of a task's arguments is no argument", () => {
  const { paths, flags } = requestOf(["wire", "--", "tests/wire/metrics_test.ts", "--fail-fast"]);
  assert.deepEqual([paths, flags], [["tests/wire/metrics_test.ts"], ["--fail-fast"]]);
});

Deno.test("test: a path runs in its own tier only, tests of the protocol in that of the second transport too", () => {
  const tiersOf = (path: string) => {
    const { tiers, paths } = requestOf([path]);
    return tiers.filter((tier) => targetsOf(tier, paths).length > 0).map(({ name }) => name);
  };
  assert.deepEqual(tiersOf("tests/wire/metrics_test.ts"), ["wire"]);
  assert.deepEqual(tiersOf("lib/mesh/xds/subscription/delta_test.ts"), ["unit", "grpc-js"]);
});
