/**
 * Reports problems of documents: in the log when they appear, in metrics while they last.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import { type Logger, scope } from "../../../kit/log/mod.ts";
import { counter, gauge } from "../../../kit/metrics/mod.ts";
import type { SchemaProblem } from "../../schema/mod.ts";
import type { SourceProblem } from "./source_problem.ts";

const log = scope("file");

const rejections = counter({
  name: "pilot_total_rejected_configs",
  help: "Configuration documents that were rejected, each time one was read.",
});
const rejected = gauge({
  name: "pilot_config_documents_rejected",
  help: "Configuration documents and files that are rejected now.",
});

/** Lines of one report; a longer list helps no reader. */
const MAX_LINES = 100;

/** Counts documents that were just rejected, and sets the number of those that are rejected now. */
export function countRejected(fresh: number, total: number): void {
  if (fresh > 0) rejections.inc(fresh);
  rejected.set(total);
}

/** Logs each problem and warning once, and files that have no problem any more. */
export interface ProblemReporter {
  /** Logs those that were not in the last report. One that disappears and comes back is new again. */
  report(problems: readonly SourceProblem[], warnings: readonly SchemaProblem[]): void;
  /** The problems with the time of the first report of each. */
  dated(problems: readonly SourceProblem[]): SourceProblem[];
}

/**
 * Creates a reporter that has reported nothing.
 *
 * @param clock milliseconds since the epoch
 */
export function createProblemReporter(
  logger: Logger = log,
  clock: () => number = Date.now,
): ProblemReporter {
  let since: ReadonlyMap<string, number> = new Map();
  const problemLog = onceLog("rejected", (message, fields) => logger.error(message, fields));
  let faulty: ReadonlySet<string> = new Set();
  const warningLog = onceLog("warning", (message, fields) => logger.warn(message, fields));
  return {
    report(problems, warnings) {
      problemLog(problems);
      const time = clock();
      since = new Map(problems.map(keyOf).map((key) => [key, since.get(key) ?? time]));
      const now = new Set(problems.map(({ file }) => file));
      const repaired = [...faulty].filter((file) => !now.has(file));
      for (const file of repaired.slice(0, MAX_LINES)) {
        logger.info(printable(`repaired: ${file} has no problem any more`));
      }
      if (repaired.length > MAX_LINES) {
        logger.info(`repaired: ${repaired.length - MAX_LINES} more`);
      }
      faulty = now;
      warningLog(warnings);
    },
    dated: (problems) =>
      problems.map((problem) => {
        const time = since.get(keyOf(problem));
        return time === undefined ? problem : { ...problem, since: time };
      }),
  };
}

/** Writes the problems of a list that the list before did not have, each after `prefix`. */
function onceLog(
  prefix: string,
  write: (message: string, fields?: Record<string, unknown>) => void,
): (problems: readonly (SchemaProblem & Partial<SourceProblem>)[]) => void {
  let known: ReadonlySet<string> = new Set();
  return (problems) => {
    const now = new Set<string>();
    let fresh = 0;
    for (const problem of problems) {
      const key = keyOf(problem);
      const isNew = !known.has(key) && !now.has(key);
      now.add(key);
      if (!isNew || ++fresh > MAX_LINES) continue;
      const last = problem.lastGoodServes ? " The last good version keeps serving." : "";
      write(printable(`${prefix}: ${sentence(problem)}${last}`), { code: problem.code });
    }
    if (fresh > MAX_LINES) write(`${prefix}: ${fresh - MAX_LINES} more`);
    known = now;
  };
}

/** Identity of a problem. Its line is not part of it: edits above the document move it. */
function keyOf({ file, path, code, message, object }: SchemaProblem): string {
  return JSON.stringify([file, path, code, message, object]);
}

/** `file:line:column (Kind ns/name) path: message. Remedy.` */
function sentence(problem: SchemaProblem): string {
  const { file, line, column, path, message, remedy, object } = problem;
  const name = object ? ` (${object.kind} ${object.namespace}/${object.name})` : "";
  const at = path === "" ? "" : ` ${path}:`;
  return `${file}:${line}:${column}${name}:${at} ${message}. ${remedy}`;
}
