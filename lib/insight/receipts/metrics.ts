/**
 * Metrics of receipts.
 *
 * @module
 */
import { type Gauge, gauge, type Histogram, histogram } from "../../kit/metrics/mod.ts";

/** From an edit to the last answer. */
export const rolloutTime: Histogram = histogram({
  name: "mesh_rollout_seconds",
  help: "Seconds from the publication of edits until every proxy concerned had answered or left.",
  buckets: [.01, .1, .5, 1, 3, 5, 10, 20, 30],
});

/** Receipts in memory. */
export const kept: Gauge = gauge({
  name: "mesh_receipts",
  help: "Edits of which it is kept who was sent them and who acknowledged.",
});

/** Bytes of them. */
export const keptBytes: Gauge = gauge({
  name: "mesh_receipts_bytes",
  help: "Bytes that receipts take, about.",
});

/** Publications with unanswered streams. */
export const openRollouts: Gauge = gauge({
  name: "mesh_rollouts_pending",
  help: "Publications that an affected proxy has not answered yet.",
});
