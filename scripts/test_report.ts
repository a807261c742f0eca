/**
 * Counts and failures of a run of `deno test`, from its output. Pure, so that the counter itself is
 * tested.
 *
 * @module
 */

/** The result of a run of tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  /** Skipped tests and steps, with the reason that each gives. */
  readonly skips: readonly Skip[];
  /** Skipped tests, as counted by the runner; steps are not counted. */
  readonly skipped: number;
}

/** A failed test, step or module. */
export interface Failure {
  /** `lib/a_test.ts:3:43`, without line and column for a module; empty when unknown. */
  readonly position: string;
  /** Name of the test; names of steps follow after ` > `. */
  readonly name: string;
  /** Start of the error, shortened. */
  readonly error: string;
}

/** A test that did not run. */
export interface Skip {
  readonly name: string;
  /** The text in square brackets at the end of the name; `undefined`: no reason is given. */
  readonly reason: string | undefined;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0, skips: [], failures: [] };

/** Longest error text of a failure, in characters. */
const LONGEST = 300;

/** Removes the control sequences of colours. */
export function plainText(output: string): string {
  // deno-lint-ignore no-control-regex -- colours are control sequences
  return output.replaceAll(/\x1b\[[0-9;]*m/g, "");
}

/**
 * The counts of one run.
 *
 * @param output standard output and error of the pretty reporter, colours included
 * @param success true when the exit status was 0
 */
export function countsOf(output: string, success: boolean): Counts {
  const plain = plainText(output);
  const skips = skipsIn(plain);
  const summary = lastSummary(plain);
  // A run without a summary was killed or did not start: that is a failure.
  if (summary === undefined) {
    return { ...NOTHING, failed: 1, skips, failures: [abortIn(plain)] };
  }
  const unexplained = skips.filter((skip) => skip.reason === undefined).map(({ name }) => ({
    position: "",
    name,
    error: "skipped without a reason in square brackets at the end of its name",
  }));
  const failures = [...failuresIn(plain), ...unexplained];
  const failed = summary.failed + unexplained.length;
  const isUnexplained = !success && failed === 0;
  return {
    passed: summary.passed,
    failed: isUnexplained ? 1 : failed,
    failures: isUnexplained ? [abortIn(plain)] : failures,
    skipped: summary.ignored,
    skips,
  };
}

/** The sum of two results. */
export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    failures: [...a.failures, ...b.failures],
    skipped: a.skipped + b.skipped,
    skips: [...a.skips, ...b.skips],
  };
}

/** The closing line: `12 passed, 0 failed`. */
export function closingLine({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

/** The number of skipped tests and steps for each reason, one line a reason. */
export function skipLines({ skips }: Counts): string[] {
  const byReason = Map.groupBy(skips, ({ reason }) => reason ?? "no reason");
  return [...byReason].map(([reason, of]) => `  ${of.length} ${reason}`);
}

/** The exit status: 0 only when a test ran and none failed. */
export function exitStatus({ passed, failed }: Counts): 0 | 1 {
  return failed === 0 && passed > 0 ? 0 : 1;
}

interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** The runner's last line about itself; tests may print lines of the same form before it. */
function lastSummary(plain: string): Summary | undefined {
  const line = [...plain.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*$/gm)].at(-1);
  if (line === undefined) return undefined;
  const count = (of: string): number =>
    Number(new RegExp(`\\| (\\d+) ${of}`).exec(line[0])?.[1] ?? 0);
  return { passed: Number(line[1]), failed: count("failed"), ignored: count("ignored") };
}

/** The failures that the runner lists before its summary, each with the first line of its error. */
function failuresIn(plain: string): Failure[] {
  const lines = plain.split("\n");
  const list = lines.lastIndexOf(" FAILURES ");
  if (list < 0) return [];
  const errors = lines.lastIndexOf(" ERRORS ", list);
  const end = lines.findLastIndex((line) => line.startsWith("FAILED | "));
  return lines.slice(list + 1, end).filter((line) => line !== "").map((heading) => {
    const at = lines.indexOf(heading, errors);
    const error = at < list ? firstError(lines.slice(at + 1, list)) : "";
    const module = /^\.\/(.*) \((uncaught error)\)$/.exec(heading);
    const test = /^(.*) => \.\/(.*)$/.exec(heading);
    return {
      position: module?.[1] ?? test?.[2] ?? "",
      name: (module?.[2] ?? test?.[1] ?? heading).replaceAll(" ... ", " > "),
      error: shortened(error.replace(/^error: /, "")),
    };
  });
}

/** The first line of an error; after a colon with the next line that is not empty: `0 !== 1`. */
function firstError([first = "", ...rest]: readonly string[]): string {
  if (!first.endsWith(":")) return first;
  return `${first} ${rest.find((line) => line.trim() !== "")?.trim() ?? ""}`;
}

/** The reason of a run that ended without a summary: the first error line, else its last line. */
function abortIn(plain: string): Failure {
  const lines = plain.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const error = lines.find((line) => /^(?:TS\d+ \[ERROR\]|error): ?/.test(line)) ?? lines.at(-1);
  const from = error === undefined ? 0 : lines.indexOf(error);
  const position = lines.slice(from).map((line) => /^at file:\/\/(\S+)$/.exec(line)?.[1])
    .find((at) => at !== undefined);
  return {
    position: position ?? "",
    name: "the run did not end in order",
    error: shortened(error?.replace(/^error: /, "") ?? "no output"),
  };
}

/** Describes the state of a run that was killed: the tests that were slow, and the last result. */
export function describeUnfinished(output: string): string {
  const plain = plainText(output);
  const slow = [...plain.matchAll(/^'(.*)' has been running for over/gm)].map((match) => match[1]!);
  const unfinished = [...new Set(slow)].filter((name) =>
    !plain.split("\n").some((line) => line.includes(`=> ${name} ... ok`))
  );
  const last = plain.match(/^\S.* \.\.\. \S+ \(.*\)$/gm)?.at(-1) ?? "none";
  return `unfinished: ${unfinished.join(", ") || "unknown"}; last result: ${last}`;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Skipped tests and steps; those that a filter left out are not printed. */
function skipsIn(plain: string): Skip[] {
  return [...plain.matchAll(/^\.{1,2}\/\S+ => (.*) \.\.\. ignored \(.*\)$/gm)].map((match) => {
    const name = match[1]!.replaceAll(" ... ", " > ");
    return { name, reason: /\[([^\][]+)\]$/.exec(name)?.[1] };
  });
}
