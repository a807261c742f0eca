/**
 * Counts what `deno test` did, from what it prints and from its JUnit file.
 * Pure, so that the counter itself is tested.
 *
 * @module
 */

/** What came of a run of tests. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Names of the skipped tests and steps, with the reason each gives. */
  readonly skips: readonly Skip[];
  /** Skipped tests, as counted by the runner; steps are not counted. */
  readonly skipped: number;
}

/** A test that did not run. */
export interface Skip {
  readonly name: string;
  /** What stands in square brackets at the end of the name; `undefined`: none is given. */
  readonly reason: string | undefined;
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0, skips: [] };

/**
 * The tally of one run.
 *
 * @param output what the pretty reporter printed, colours included
 * @param junit text of the JUnit file; empty when the run got that far not
 * @param success whether the runner's status was 0
 */
export function tallyOf(output: string, junit: string, success: boolean): Tally {
  const skips = skipsIn(junit);
  const summary = lastSummary(output);
  // A run that ends without its summary was killed or did not start: that is a failure.
  if (summary === undefined) return { ...NOTHING, failed: 1, skips };
  const unexplained = skips.filter((skip) => skip.reason === undefined).length;
  const failed = summary.failed + unexplained;
  return {
    passed: summary.passed,
    failed: success ? failed : Math.max(failed, 1),
    skipped: summary.ignored,
    skips,
  };
}

/** Both runs together. */
export function add(a: Tally, b: Tally): Tally {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    skips: [...a.skips, ...b.skips],
  };
}

/** The closing line: `12 passed, 0 failed`, with `, 2 skipped` when there are any. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}

/** The exit status: 0 only when a test ran and none failed. */
export function exitStatus({ passed, failed }: Tally): 0 | 1 {
  return failed === 0 && passed > 0 ? 0 : 1;
}

interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** The runner's last line about itself; tests may print lines of the same form before it. */
function lastSummary(output: string): Summary | undefined {
  // deno-lint-ignore no-control-regex -- colours are control sequences
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const line = [...plain.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*$/gm)].at(-1);
  if (line === undefined) return undefined;
  const count = (what: string): number =>
    Number(new RegExp(`\\| (\\d+) ${what}`).exec(line[0])?.[1] ?? 0);
  return { passed: Number(line[1]), failed: count("failed"), ignored: count("ignored") };
}

function skipsIn(junit: string): Skip[] {
  const skips: Skip[] = [];
  for (const match of junit.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped\b/g)) {
    const name = unescape(match[1]!);
    skips.push({ name, reason: /\[([^\][]+)\]$/.exec(name)?.[1] });
  }
  return skips;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function unescape(text: string): string {
  return text.replaceAll(
    /&(lt|gt|quot|apos|amp|#\d+);/g,
    (_, name: string) => ENTITIES[name] ?? String.fromCodePoint(Number(name.slice(1))),
  );
}
