/**
 * Metrics of ingest. Names and buckets are those that dashboards of the field expect.
 *
 * @module
 */
import type { Batch } from "../ingest/mod.ts";
import { counter, histogram } from "../metrics/mod.ts";

const inboundUpdates = counter({
  name: "pilot_inbound_updates",
  help: "Changes of objects that came in, by kind: config, eds, svc, svcdelete.",
  labels: ["type"],
});

const debounceTime = histogram({
  name: "pilot_debounce_time",
  help: "Seconds between the first change of a batch and its publication.",
  buckets: [.01, .1, .5, 1, 3, 5, 10, 20, 30],
});

const pushTriggers = counter({
  name: "pilot_push_triggers",
  help: "Publications, by the kinds of change that brought them about.",
  labels: ["type"],
});

/** Counts the change of one object. */
export function countInbound(type: "config" | "eds" | "svc" | "svcdelete"): void {
  inboundUpdates.inc({ type });
}

/** Counts a batch when its publication begins. */
export function countBatch({ waited, triggers }: Batch): void {
  debounceTime.observe(waited / 1000);
  for (const type of triggers) pushTriggers.inc({ type });
}
