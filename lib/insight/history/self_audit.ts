/**
 * Background audit: computes cells again, one after the other, and compares them with the stored
 * values. Differences are counted, repaired, published and reported.
 *
 * @module
 */
import { objectOfRef } from "../../mesh/model/mod.ts";
import type { AuditResult, CellRef, Graph } from "../../mesh/graph/mod.ts";
import { audits, differences } from "./metrics.ts";

/** A difference. */
export interface AuditReport {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Published revision at that time. */
  readonly revision: number;
  /** The audited cell; a collection has an empty key. */
  readonly cell: CellRef;
  /** The wrong cells: this one, or cells that it is computed from. */
  readonly wrong: readonly CellRef[];
  /** Input rows of the cell, as `table/key`; the first hundred. */
  readonly origins: readonly string[];
  readonly from: AuditResult["from"];
}

/** State of the audit. */
export interface AuditSummary {
  /** Numbers of correct, wrong and skipped cells. */
  readonly audited: number;
  readonly skipped: number;
  /** Number of audits with differences. */
  readonly differences: number;
  /** Number of complete rounds over all cells. */
  readonly passes: number;
  /** The latest reports, the newest first. */
  readonly reports: readonly AuditReport[];
}

/** The background loop. */
export interface SelfAudit {
  /**
   * Audits until the budget is spent or every cell was audited once; returns the number of cells.
   */
  round(): number;
  summary(): AuditSummary;
}

export interface SelfAuditOptions {
  readonly graph: Graph;
  /** Publishes repaired values. */
  readonly publish: () => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds with fractions. */
  readonly now: () => number;
  /**
   * Approximate milliseconds of a round. It bounds a single audit, but not a single computation.
   */
  readonly millis: number;
  /** Called for each difference, before it is published. */
  readonly onDifference?: (report: AuditReport) => void;
  /** Maximum number of reports (default 100). */
  readonly limit?: number;
}

/** Maximum of cells in one round; skipped cells take almost no time. */
const MOST = 500;
/** Maximum of input rows in a report. */
const ORIGINS = 100;

/** Creates the audit. The caller schedules rounds. */
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
  const origins = graph.origins(table, key).slice(0, ORIGINS).map(objectOfRef);
  return { at, revision: graph.published, cell: { table, key }, wrong, origins, from };
}
