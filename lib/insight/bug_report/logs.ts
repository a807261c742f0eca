/**
 * Order and size of logs in a report. Pure.
 *
 * @module
 */
import { globOf } from "./selection.ts";

/** Globs of `--critical-errs` and `--ignore-errs`. */
export interface ErrorGlobs {
  readonly criticalErrors: readonly string[];
  readonly ignoredErrors: readonly string[];
}

/** A log with its importance: the logs of the highest rank come first. */
export interface RankedLog {
  readonly path: string;
  readonly text: string;
  readonly rank: number;
}

/** Weight of a critical line: more than all other lines of a log can have. */
const CRITICAL = 1_000_000_000;
const ERROR_LINE = /(?:^|[\s"[])(?:error|fatal|critical|panic)(?:$|[\s"\]:])/i;

/** Counts the errors of a log; lines of `criticalErrors` outweigh all others. */
export function rankOf(text: string, { criticalErrors, ignoredErrors }: ErrorGlobs): number {
  const [critical, ignored] = [criticalErrors, ignoredErrors].map((list) => list.map(globOf));
  const matches = (list: readonly RegExp[] | undefined, line: string): boolean =>
    (list ?? []).some((one) => one.test(line));
  let rank = 0;
  for (const line of text.split("\n")) {
    if (matches(critical, line)) rank += CRITICAL;
    else if (ERROR_LINE.test(line) && !matches(ignored, line)) rank++;
  }
  return rank;
}

/** The logs that fit into a number of characters, the most important first; and the others. */
export function fitting(
  logs: readonly RankedLog[],
  limit: number,
): { readonly kept: readonly RankedLog[]; readonly left: readonly string[] } {
  const kept: RankedLog[] = [];
  const left: string[] = [];
  let size = 0;
  for (const log of logs.toSorted((a, b) => b.rank - a.rank)) {
    if (size + log.text.length > limit) left.push(log.path);
    else {
      size += log.text.length;
      kept.push(log);
    }
  }
  return { kept, left };
}
