/**
 * Metrics of history and audit.
 *
 * @module
 */
import { type Counter, counter, type Gauge, gauge } from "../../kit/metrics/mod.ts";

/** Number of audited cells. */
export const audits: Counter = counter({
  name: "mesh_selfaudit_audits_total",
  help: "Cells recomputed in the background, by result.",
  labels: ["outcome"],
});

/** Differences found. */
export const differences: Counter = counter({
  name: "mesh_selfaudit_differences_total",
  help: "Cells of which the background audit found another value than was kept. Ought to be 0.",
});

/** Revisions in memory. */
export const revisionsKept: Gauge = gauge({
  name: "mesh_history_revisions",
  help: "Number of publications in the history.",
});

/** Bytes of them. */
export const historyBytes: Gauge = gauge({
  name: "mesh_history_bytes",
  help: "Approximate bytes of the list of publications, without superseded resources.",
});
