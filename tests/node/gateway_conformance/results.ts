/**
 * The results of the Gateway API's conformance suite, by its output.
 *
 * @module
 */

/** The end of a test of the suite. */
export type Verdict = "passed" | "failed" | "skipped";

export interface SuiteTest {
  /** Its short name, such as `HTTPRouteSimpleSameNamespace`. */
  readonly name: string;
  readonly verdict: Verdict;
  /** Names of its failed parts. */
  readonly failedParts: readonly string[];
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  PASS: "passed",
  FAIL: "failed",
  SKIP: "skipped",
};

/** `    --- FAIL: Conformance/NAME/PART (1.00s)` */
const LINE = /^\s*--- (PASS|FAIL|SKIP): Conformance\/([^/\s]+)(?:\/(.+?))? \(/;

/** The tests that the output of `-test.v` names, in the order of their names. */
export function resultsOf(output: string): SuiteTest[] {
  const verdicts = new Map<string, Verdict>();
  const failed = new Map<string, string[]>();
  for (const line of output.split("\n")) {
    const [, word = "", name = "", part] = LINE.exec(line) ?? [];
    const verdict = VERDICTS[word];
    if (verdict === undefined) continue;
    if (part === undefined) verdicts.set(name, verdict);
    else if (verdict === "failed") failed.set(name, [...failed.get(name) ?? [], part]);
  }
  return [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, verdict]) => ({ name, verdict, failedParts: failed.get(name) ?? [] }));
}

/** One line for each test that did not pass, and their numbers. */
export function summaryOf(tests: readonly SuiteTest[]): string {
  const count = (verdict: Verdict): number => tests.filter((one) => one.verdict === verdict).length;
  const lines = tests.filter(({ verdict }) => verdict === "failed")
    .map(({ name, failedParts }) => `FAIL ${[name, ...failedParts].join("\n     ")}`);
  return [
    ...lines,
    `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`,
  ].join("\n");
}
