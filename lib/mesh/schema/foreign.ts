/**
 * Hints about workloads, objects of the orchestrator that the mesh uses.
 *
 * @module
 */
import type { ReadOptions } from "./object.ts";
import type { Report } from "./problem.ts";
import { isMap } from "./read/mod.ts";

/** Labels with the name and version of a workload in metrics. */
const WORKLOAD_LABELS = ["app", "version"] as const;

/**
 * Warns about Deployments without the labels that telemetry uses. Objects of the namespaces in
 * `except` are ignored.
 */
export function hintWorkloads(except: ReadonlySet<string>): NonNullable<ReadOptions["foreign"]> {
  return (value, report) => {
    const meta = isMap(value.metadata) ? value.metadata : {};
    if (typeof meta.namespace === "string" && except.has(meta.namespace)) return;
    if (value.kind === "Deployment") hintLabels(value, report);
  };
}

function member(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => isMap(at) ? at[name] : undefined, value);
}

function hintLabels(value: Readonly<Record<string, unknown>>, report: Report): void {
  const path = ["spec", "template", "metadata", "labels"];
  const labels = member(value, ...path);
  for (const label of WORKLOAD_LABELS) {
    if (isMap(labels) && label in labels) continue;
    const message = `metrics of the workload lack "${label}": its pods have no such label`;
    report.warn(path, "workload-label", message, `Add label ${label} to the template.`);
  }
}
