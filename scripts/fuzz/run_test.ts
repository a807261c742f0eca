import assert from "node:assert/strict";
import { findTargets, fuzz, type FuzzTarget } from "./run.ts";

/** Mutations of each target; `deno task fuzz` makes more. */
const RUNS = 3000;

for (const target of await findTargets()) {
  Deno.test(`fuzz ${target.path}: seeds and ${RUNS} mutations`, async () => {
    const failure = await fuzz(target, { runs: RUNS, seed: 1 });
    if (failure) console.error(failure.error);
    assert.equal(failure?.input.toHex(), undefined);
  });
}

Deno.test("a failing input is found and returned", async () => {
  const target: FuzzTarget = {
    path: "",
    seedsPath: "",
    seeds: [new Uint8Array(4), Uint8Array.of(1, 2, 3)],
    run(input) {
      if (input.includes(0x7f)) throw new Error("found");
    },
  };
  const failure = await fuzz(target, { runs: 1000, seed: 1 });
  assert.ok(failure?.input.includes(0x7f));
});
