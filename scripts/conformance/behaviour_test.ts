import assert from "node:assert/strict";
import { behaviourDisagreements, behaviourOutcome } from "./behaviour.ts";

const OUTPUT = `-- mesh: cluster and daemon after 6 s
ok   a-case (2.1 s)
DIFF b-case (4.0 s)
     [?] sidecar shop/a > clusters > x: only want y
     [?] sidecar shop/a > clusters > z: only got y
ERROR c-case: KeyError 'x'
Traceback
-- not judged: 1 cases, 2 differences, such as b-case
diff 1/3 cases equal
`;

Deno.test("behaviour: the outcome names each case that differs with its differences", () => {
  const { total, failed } = behaviourOutcome(OUTPUT);
  assert.equal(total, 3);
  assert.deepEqual([...failed], [
    [
      "b-case",
      "sidecar shop/a > clusters > x: only want y\n    sidecar shop/a > clusters > z: only got y",
    ],
    ["c-case", "KeyError 'x'"],
  ]);
});

Deno.test("behaviour: a run that ended early, or counts otherwise than its lines, has failed", () => {
  for (
    const [output, error] of [
      ["", "the comparison ended early"],
      ["ok   a (1.0 s)\n", "the comparison ended early"],
      ["diff 0/0 cases equal\n", "the comparison ended early"],
      [
        "ok   a (1.0 s)\ndiff 2/2 cases equal\n",
        'the comparison says "diff 2/2 cases equal", its lines 1/1',
      ],
    ] as const
  ) assert.deepEqual([...behaviourOutcome(output).failed], [["(run)", error]]);
});

Deno.test("behaviour: listed cases may differ, and must", () => {
  const outcome = behaviourOutcome(
    OUTPUT.replace("ERROR c-case: KeyError 'x'", "ok   c-case (1 s)")
      .replace("diff 1/3", "diff 2/3"),
  );
  const row = (name: string) => ({ corpus: "behaviour", name, reason: "is better" });
  assert.deepEqual(behaviourDisagreements(outcome, [row("b-case")], true), []);
  assert.deepEqual(behaviourDisagreements(outcome, [row("b-case"), row("c-case")], true), [
    "behaviour: c-case: listed as a deviation, and is as expected now",
  ]);
  assert.deepEqual(behaviourDisagreements(outcome, [row("b-case"), row("c-case")], false), []);
  assert.equal(behaviourDisagreements(outcome, [], true).length, 1);
});
