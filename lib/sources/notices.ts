/**
 * Tells of problems: in the log once, when they appear; in metrics while they
 * last.
 *
 * @module
 */
import { printable } from "../base/mod.ts";
import { type Logger, scope } from "../log/mod.ts";
import { counter, gauge } from "../metrics/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
import type { SourceProblem } from "./ledger.ts";

const log = scope("file");

const rejected = counter({
  name: "pilot_total_rejected_configs",
  help: "Configuration documents that were set aside, each time one was read.",
});
const setAside = gauge({
  name: "pilot_config_documents_set_aside",
  help: "Configuration documents and files that are set aside now.",
});

/** More lines than this a round say nothing to a reader. */
const MAX_LINES = 100;

/** Counts documents that were just set aside, and how many are in all. */
export function countRejected(fresh: number, total: number): void {
  if (fresh > 0) rejected.inc(fresh);
  setAside.set(total);
}

/** Remembers what was told. */
export interface Notices {
  /** Logs what is new. What is gone is forgotten, and would be new again. */
  tell(problems: readonly SourceProblem[], warnings: readonly SchemaProblem[]): void;
}

/** Notices with nothing told yet. */
export function createNotices(logger: Logger = log): Notices {
  let toldProblems = new Set<string>();
  let toldWarnings = new Set<string>();
  return {
    tell(problems, warnings) {
      toldProblems = tellNew(
        problems,
        toldProblems,
        "set aside",
        (message, fields) => logger.error(message, fields),
      );
      toldWarnings = tellNew(
        warnings,
        toldWarnings,
        "warning",
        (message, fields) => logger.warn(message, fields),
      );
    },
  };
}

function tellNew(
  problems: readonly SchemaProblem[],
  told: ReadonlySet<string>,
  what: string,
  write: (message: string, fields?: Record<string, unknown>) => void,
): Set<string> {
  const now = new Set<string>();
  let fresh = 0;
  for (const problem of problems) {
    const { file, line, column, path, code, message, remedy, object } = problem;
    const key = JSON.stringify([file, path, code, message, object]);
    const isNew = !told.has(key) && !now.has(key);
    now.add(key);
    if (!isNew || ++fresh > MAX_LINES) continue;
    const name = object ? ` (${object.kind} ${object.namespace}/${object.name})` : "";
    const at = path === "" ? "" : ` ${path}:`;
    const text = `${what}: ${file}:${line}:${column}${name}:${at} ${message}. ${remedy}`;
    write(printable(text), { code });
  }
  if (fresh > MAX_LINES) write(`${what}: ${fresh - MAX_LINES} more`);
  return now;
}
