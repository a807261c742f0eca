import assert from "node:assert/strict";
import {
  add,
  closingLine,
  countsOf,
  describeUnfinished,
  exitStatus,
  NOTHING,
  skipLines,
} from "./test_report.ts";

const SKIPPED = `./a_test.ts => good ... ok (1ms)
./a_test.ts => redirects "80" [needs root] ... ignored (0ms)
./a_test.ts => steps ... one [needs IPv6] ... ignored (0ms)
`;

const CASES: {
  name: string;
  output: string;
  success: boolean;
  line: string;
  status: 0 | 1;
}[] = [
  {
    name: "all passed",
    output: "ok | 3 passed | 0 failed (12ms)\n",
    success: true,
    line: "3 passed, 0 failed",
    status: 0,
  },
  {
    name: "colours",
    output:
      "\n\x1b[0m\x1b[32mok\x1b[0m | 10 passed | 0 failed \x1b[0m\x1b[38;5;245m(71ms)\x1b[0m\n",
    success: true,
    line: "10 passed, 0 failed",
    status: 0,
  },
  {
    name: "failures and steps: steps are not counted",
    output: "x ... FAILED (1ms)\nFAILED | 2 passed (1 step) | 4 failed (1 step) (60ms)\n",
    success: false,
    line: "2 passed, 4 failed",
    status: 1,
  },
  {
    name: "skips with reasons",
    output: `${SKIPPED}ok | 1 passed | 0 failed | 1 ignored (1 step) (60ms)\n`,
    success: true,
    line: "1 passed, 0 failed",
    status: 0,
  },
  {
    name: "a skip without a reason",
    output: "./a.ts => later ... ignored (0ms)\nok | 1 passed | 0 failed | 1 ignored (60ms)\n",
    success: true,
    line: "1 passed, 1 failed",
    status: 1,
  },
  {
    name: "filtered out",
    output: "ok | 1 passed | 0 failed | 7 filtered out (60ms)\n",
    success: true,
    line: "1 passed, 0 failed",
    status: 0,
  },
  {
    name: "a test that prints such a line itself",
    output: "ok | 900 passed | 0 failed (1ms)\nFAILED | 1 passed | 1 failed (2ms)\n",
    success: false,
    line: "1 passed, 1 failed",
    status: 1,
  },
  {
    name: "no summary: it did not compile, or was killed",
    output: "error: Type checking failed.\n",
    success: false,
    line: "0 passed, 1 failed",
    status: 1,
  },
  {
    name: "a status that the summary does not explain",
    output:
      'ok | 3 passed | 0 failed (3ms)\n\nerror: Test failed because the "only" option was used\n',
    success: false,
    line: "3 passed, 1 failed",
    status: 1,
  },
  {
    name: "nothing ran",
    output: "ok | 0 passed | 0 failed | 3 filtered out (0ms)\n",
    success: true,
    line: "0 passed, 0 failed",
    status: 1,
  },
];

for (const { name, output, success, line, status } of CASES) {
  Deno.test(`test report: ${name}`, () => {
    const counts = countsOf(output, success);
    assert.equal(closingLine(counts), line);
    assert.equal(exitStatus(counts), status);
  });
}

Deno.test("test report: skips keep their names and reasons, steps too", () => {
  assert.deepEqual(countsOf(SKIPPED, true).skips, [
    { name: 'redirects "80" [needs root]', reason: "needs root" },
    { name: "steps > one [needs IPv6]", reason: "needs IPv6" },
  ]);
});

Deno.test("test report: tiers add up", () => {
  const one = countsOf(`${SKIPPED}ok | 2 passed | 0 failed | 1 ignored (1ms)`, true);
  const two = countsOf("FAILED | 1 passed | 3 failed (1ms)", false);
  assert.equal(closingLine(add(add(NOTHING, one), two)), "3 passed, 3 failed");
  assert.deepEqual(skipLines(add(one, two)), ["  1 needs root", "  1 needs IPv6"]);
});

const FAILED_RUN = `./a_test.ts => steps ... inner bad ... FAILED (1ms)
 ERRORS 

steps ... inner bad => ./a_test.ts:3:43
error: AssertionError: Expected values to be strictly equal:

1 !== 2

late => ./lib/c_test.ts:6:6
error: Error: waited too long
more
Caused by: Error: x

./lib/b_test.ts (uncaught error)
error: (in promise) Error: at load

 FAILURES 

steps ... inner bad => ./a_test.ts:3:43
late => ./lib/c_test.ts:6:6
./lib/b_test.ts (uncaught error)

FAILED | 1 passed (1 step) | 3 failed (1 step) | 1 ignored (184ms)
error: Test failed
`;

Deno.test("test report: failures have their position, name and the first line of the error", () => {
  assert.deepEqual(countsOf(FAILED_RUN, false).failures, [
    {
      position: "a_test.ts:3:43",
      name: "steps > inner bad",
      error: "AssertionError: Expected values to be strictly equal: 1 !== 2",
    },
    { position: "lib/c_test.ts:6:6", name: "late", error: "Error: waited too long" },
    {
      position: "lib/b_test.ts",
      name: "uncaught error",
      error: "(in promise) Error: at load",
    },
  ]);
});

Deno.test("test report: a run that does not compile has the first error and its position", () => {
  const output = `TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.
const x: number = "a";
      ^
    at file:///repo/d_test.ts:1:7

error: Type checking failed.
`;
  assert.deepEqual(countsOf(output, false).failures, [{
    position: "/repo/d_test.ts:1:7",
    name: "the run did not end in order",
    error: "TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.",
  }]);
});

Deno.test("test report: a skip without a reason is listed as a failure", () => {
  const counts = countsOf(
    "./a.ts => later ... ignored (0ms)\nok | 1 passed | 0 failed | 1 ignored (60ms)\n",
    true,
  );
  assert.deepEqual(counts.failures.map(({ name }) => name), ["later"]);
});

Deno.test("test report: the unfinished tests and the last result of a killed run are named", () => {
  const output = `'slow but done' has been running for over (1m0s)
'attacks' has been running for over (1m0s)
./a_test.ts => slow but done ... ok (1m2s)
./b_test.ts => attacks ... a flood ... ok (1s)
'attacks' has been running for over (2m0s)
`;
  assert.equal(
    describeUnfinished(output),
    "unfinished: attacks; last result: ./b_test.ts => attacks ... a flood ... ok (1s)",
  );
});
