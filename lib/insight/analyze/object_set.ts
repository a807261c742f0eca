/**
 * Analysis of a set of objects, once.
 *
 * @module
 */
import { upsertOf } from "../../mesh/ingest/mod.ts";
import type { ConfigObject } from "../../mesh/model/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { type AnalysisOptions, createAnalysis } from "./analysis.ts";
import type { ForeignFacts } from "./foreign.ts";
import type { Message } from "./message.ts";

/** Time of one slice of work, in milliseconds; there is no wait between slices. */
const SLICE_MS = 1000;

/** Settings of an analysis of a set. */
export interface ObjectSetOptions extends AnalysisOptions {
  readonly mesh?: MeshConfig;
  /** True when all workloads are known; default: when the set describes some. */
  readonly complete?: boolean;
  /** False when services are not described; default: true. */
  readonly services?: boolean;
  /** True when the workloads of gateways are known; default: when all workloads are. */
  readonly gateways?: boolean;
}

/**
 * The messages about objects. Selectors are checked only if the set describes workloads: otherwise
 * the workloads are not known.
 *
 * @example
 * ```ts
 * import { analyzeObjects, renderMessage } from "./mod.ts";
 * import type { ConfigObject } from "../../mesh/model/mod.ts";
 *
 * // The messages about objects, without knowledge of the workloads.
 * function report(objects: readonly ConfigObject[]): string[] {
 *   const options = { domain: "cluster.local", now: () => performance.now() };
 *   return analyzeObjects(objects, { workloads: [], hosts: [] }, options).map(renderMessage);
 * }
 * ```
 */
export function analyzeObjects(
  objects: readonly ConfigObject[],
  { workloads, hosts, accounts, ambient }: ForeignFacts,
  { mesh = defaultMeshConfig(), complete, gateways, services = true, ...options }: ObjectSetOptions,
): readonly Message[] {
  const analysis = createAnalysis(options);
  analysis.apply({
    mesh,
    objects: objects.flatMap((object) => upsertOf(object) ?? []),
    workloads,
    hosts,
    accounts,
    ambient,
    services,
    gateways: gateways ?? false,
    complete: complete ??
      (workloads.length > 0 || objects.some(({ meta }) => meta.kind === "WorkloadEntry")),
  });
  while (!analysis.work(SLICE_MS));
  return analysis.messages();
}
