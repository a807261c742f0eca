/**
 * Analysis of a set of objects, once.
 *
 * @module
 */
import { upsertOf } from "../ingest/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { defaultMeshConfig } from "../schema/mod.ts";
import { type AnalysisOptions, createAnalysis } from "./analysis.ts";
import type { ForeignFacts } from "./foreign.ts";
import type { Message } from "./message.ts";

/** Time of one slice of work, in milliseconds; there is no wait between slices. */
const SLICE_MS = 1000;

/**
 * The messages about objects. Selectors are checked only if the set describes workloads: otherwise
 * the workloads are not known.
 */
export function analyzeObjects(
  objects: readonly ConfigObject[],
  { workloads, hosts }: ForeignFacts,
  options: AnalysisOptions,
): readonly Message[] {
  const analysis = createAnalysis(options);
  analysis.apply({
    mesh: defaultMeshConfig(),
    objects: objects.flatMap((object) => upsertOf(object) ?? []),
    workloads,
    hosts,
    complete: workloads.length > 0 || objects.some(({ meta }) => meta.kind === "WorkloadEntry"),
  });
  while (!analysis.work(SLICE_MS));
  return analysis.messages();
}
