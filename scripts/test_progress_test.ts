import assert from "node:assert/strict";
import { ResultCounter } from "./test_progress.ts";

Deno.test("test progress: tests are counted as they end, steps and skips are not", () => {
  const counter = new ResultCounter();
  const output = `./a_test.ts => one ... ok (3ms)
\x1b[0m./a_test.ts =>\x1b[0m steps ... inner ... FAILED (1ms)
./a_test.ts => steps ... FAILED (due to 1 failed step) (4ms)
./a_test.ts => skipped [needs root] ... ignored (0ms)
./b_test.ts => two ... ok (1s)
running 2 tests from ./c_test.ts
three ... ok (1s)
four ...
  inner ... ok (3ms)
four ... ok (2s)
`;
  // The output comes in parts that end anywhere.
  for (const part of output.match(/[^]{1,7}/g)!) counter.add(part);
  assert.deepEqual([counter.passed, counter.failed], [4, 1]);
});
