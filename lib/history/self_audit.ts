/**
 * The law, checked in production: in the background, cell after cell is computed
 * anew and compared with what is kept. What differs is counted, repaired,
 * published, and reported.
 *
 * @module
 */
import type { AuditResult, CellRef, Graph } from "../graph/mod.ts";
import { audits, differences } from "./metrics.ts";

/** A difference that was found. */
export interface AuditReport {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Revision that was published when it was found. */
  readonly revision: number;
  /** The cell that was looked at; a collection has an empty key. */
  readonly cell: CellRef;
  /** The cells that were wrong: that one, or some that it is computed from. */
  readonly wrong: readonly CellRef[];
  /** Input rows behind the cell, as `table/key`; the first hundred. */
  readonly origins: readonly string[];
  readonly from: AuditResult["from"];
}

/** How it stands. */
export interface AuditSummary {
  /** Cells found right or wrong, and cells that could not be judged. */
  readonly audited: number;
  readonly skipped: number;
  /** Audits that found something wrong. */
  readonly differences: number;
  /** How often all cells have been gone through. */
  readonly passes: number;
  /** The latest reports, the newest first. */
  readonly reports: readonly AuditReport[];
}

/** The background loop. */
export interface SelfAudit {
  /** Audits until the budget is spent or every cell has been looked at once; returns how many were. */
  round(): number;
  summary(): AuditSummary;
}

/** What it works with. */
export interface SelfAuditOptions {
  readonly graph: Graph;
  /** Publishes what was repaired. */
  readonly publish: () => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds with fractions. */
  readonly now: () => number;
  /** Milliseconds that a round may take, about: a single audit is bounded by it, a single computation is not. */
  readonly millis: number;
  /** Called for each difference, before it is published. */
  readonly onDifference?: (report: AuditReport) => void;
  /** Reports kept (default 100). */
  readonly limit?: number;
}

/** Cells looked at in one round, however little they take: those to be skipped take next to nothing. */
const MOST = 500;
/** Input rows named in a report. */
const ORIGINS = 100;

/** A loop that has looked at nothing yet. Somebody else keeps the time. */
export function createSelfAudit(options: SelfAuditOptions): SelfAudit {
  const { graph, now, millis, limit = 100 } = options;
  const reports: AuditReport[] = [];
  let cells = graph.auditable();
  let count = { audited: 0, skipped: 0, differences: 0, passes: 0 };
  const look = ({ table, key }: CellRef): boolean => {
    const result = graph.audit(table, key, { repair: true, millis });
    const { outcome } = result;
    audits.inc({ outcome });
    if (outcome === "skipped") count = { ...count, skipped: count.skipped + 1 };
    else count = { ...count, audited: count.audited + 1 };
    if (outcome !== "repaired") return false;
    differences.inc();
    count = { ...count, differences: count.differences + 1 };
    const report = reportOf(result, graph, options.clock());
    reports.unshift(report);
    reports.length = Math.min(reports.length, limit);
    options.onDifference?.(report);
    return true;
  };
  return {
    round: () => {
      const end = now() + millis;
      let done = 0;
      let found = false;
      do {
        const { value, done: over } = cells.next();
        if (over) {
          cells = graph.auditable();
          count = { ...count, passes: count.passes + 1 };
          break;
        }
        done++;
        found = look(value) || found;
      } while (done < MOST && now() < end);
      if (found) options.publish();
      return done;
    },
    summary: () => ({ ...count, reports: [...reports] }),
  };
}

function reportOf({ table, key, wrong, from }: AuditResult, graph: Graph, at: number): AuditReport {
  const origins = graph.origins(table, key).slice(0, ORIGINS);
  return { at, revision: graph.published, cell: { table, key }, wrong, origins, from };
}
