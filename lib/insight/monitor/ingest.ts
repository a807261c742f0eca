/**
 * Metrics of ingest. Names and buckets are those that dashboards of the field expect.
 *
 * @module
 */
import type { Batch, InboundType, Ingest } from "../../mesh/ingest/mod.ts";
import { counter, gauge, histogram } from "../../kit/metrics/mod.ts";

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
  help: "Publications, by kinds of their changes.",
  labels: ["type"],
});

const publicationTime = histogram({
  name: "pilot_pushcontext_init_seconds",
  help: "Seconds from the taking of changes until what came out of them was published.",
  buckets: [.01, .1, .5, 1, 3, 5],
});

/** Counts the change of one object. */
export function countInbound(type: InboundType): void {
  inboundUpdates.inc({ type });
}

/** Counts a batch when its publication begins. */
export function countBatch({ waited, triggers }: Batch): void {
  debounceTime.observe(waited / 1000);
  for (const type of triggers) pushTriggers.inc({ type });
}

/** Counts a publication with its duration in milliseconds. */
export function countPublication(ms: number): void {
  publicationTime.observe(ms / 1000);
}

/** Registers the metrics of the sources; they are read when they are scraped. */
export function observeSources({ sources }: Pick<Ingest, "sources">): void {
  gauge({
    name: "mesh_source_synced",
    help: "1 when a source of configuration has reported its initial set, otherwise 0.",
    labels: ["source"],
    collect: (synced) => {
      for (const source of sources()) synced.set({ source: source.name }, Number(source.synced));
    },
  });
  gauge({
    name: "mesh_source_healthy",
    help: "1 when a source of configuration can be read, otherwise 0.",
    labels: ["source"],
    collect: (healthy) => {
      for (const { name, fault } of sources()) healthy.set({ source: name }, Number(!fault));
    },
  });
}
