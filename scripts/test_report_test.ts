import assert from "node:assert/strict";
import { add, closingLine, exitStatus, NOTHING, tallyOf } from "./test_report.ts";

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="4" failures="1" errors="0" time="0.260">
    <testsuite name="./a_test.ts" tests="4" disabled="2" errors="0" failures="1">
        <testcase name="good" classname="./a_test.ts" time="0.001" line="2" col="6">
        </testcase>
        <testcase name="bad &lt;one&gt;" classname="./a_test.ts" time="0.001" line="3" col="6">
            <failure message="Uncaught">&quot;skipped&quot; [not this]</failure>
        </testcase>
        <testcase name="redirects &quot;80&quot; [needs root]" classname="./a_test.ts" time="0.000" line="4" col="6">
            <skipped/>
        </testcase>
        <testcase name="steps &gt; one [needs IPv6]" classname="./a_test.ts" time="0.000" line="5" col="73">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>
`;

const CASES: {
  name: string;
  output: string;
  junit?: string;
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
    output: "ok | 1 passed | 0 failed | 1 ignored (1 step) (60ms)\n",
    junit: JUNIT,
    success: true,
    line: "1 passed, 0 failed, 1 skipped",
    status: 0,
  },
  {
    name: "a skip without a reason",
    output: "ok | 1 passed | 0 failed | 1 ignored (60ms)\n",
    junit: '<testcase name="later" classname="x">\n  <skipped/>',
    success: true,
    line: "1 passed, 1 failed, 1 skipped",
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

for (const { name, output, junit = "", success, line, status } of CASES) {
  Deno.test(`test report: ${name}`, () => {
    const tally = tallyOf(output, junit, success);
    assert.equal(closingLine(tally), line);
    assert.equal(exitStatus(tally), status);
  });
}

Deno.test("test report: skips keep their names and reasons, steps too", () => {
  assert.deepEqual(tallyOf("", JUNIT, true).skips, [
    { name: 'redirects "80" [needs root]', reason: "needs root" },
    { name: "steps > one [needs IPv6]", reason: "needs IPv6" },
  ]);
});

Deno.test("test report: tiers add up", () => {
  const one = tallyOf("ok | 2 passed | 0 failed | 1 ignored (1ms)", JUNIT, true);
  const two = tallyOf("FAILED | 1 passed | 3 failed (1ms)", "", false);
  assert.equal(closingLine(add(add(NOTHING, one), two)), "3 passed, 3 failed, 1 skipped");
});
