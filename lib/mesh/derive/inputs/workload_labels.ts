/**
 * Labels of WorkloadEntries.
 *
 * @module
 */
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { Labels } from "./keys.ts";

/** The labels of a workload: those of its specification and of its object, which replace the former. */
export function workloadLabels({ meta, spec }: ConfigObject<WorkloadEntry>): Labels {
  return { ...spec.labels, ...meta.labels };
}
