/**
 * Report of patches: their effects on resources, and patches that do not apply. It is stored beside
 * the values of cells.
 *
 * @module
 */
import { parseRowRef } from "../../graph/mod.ts";
import type { DecisionLog } from "../../../kit/base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { PatchedType } from "../../envoy/mod.ts";
import type { ChangeResult, ReportChange } from "./apply.ts";

/** A change that does not apply to a resource because it would make it invalid. */
export interface PatchFault {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `spec.configPatches[0]`. */
  readonly field: string;
  readonly type: PatchedType;
  readonly resource: string;
  readonly message: string;
}

/** The number of resources that the changes of an object apply to, and that they do not apply to. */
export interface PatchCount {
  readonly object: string;
  readonly type: PatchedType;
  readonly applied: number;
  readonly failed: number;
}

export interface PatchReport {
  /**
   * Starts the report of a cell that is computed again; it replaces the previous one. While
   * decisions are recorded, changes are recorded as decisions, and the report is not changed.
   */
  start(type: PatchedType, cell: string, log: DecisionLog): ReportChange;
  /** Changes that do not apply where they should. */
  faults(): readonly PatchFault[];
  /** The effects of changes, as far as they were computed. */
  counts(): readonly PatchCount[];
}

/** Creates an empty report. */
export function createPatchReport({ tables }: Mesh): PatchReport {
  const cells = new Map<
    string,
    { readonly type: PatchedType; results: [ChangeResult, string][] }
  >();
  // Cells of removed changes are not computed again.
  const exists = ({ change: { object } }: ChangeResult): boolean => {
    const row = parseRowRef(object);
    if (row === undefined) return false;
    const table = row.table === "WasmPlugin" ? tables.wasmPlugins : tables.dataproxyFilters;
    return table.peek(row.key) !== undefined;
  };
  const all = function* (): Generator<readonly [PatchedType, ChangeResult, string]> {
    for (const { type, results } of cells.values()) {
      for (const [result, resource] of results) if (exists(result)) yield [type, result, resource];
    }
  };
  return {
    start: (type, cell, log) => {
      const entry = { type, results: [] as [ChangeResult, string][] };
      const recording = log.decide !== undefined;
      if (!recording) cells.delete(cell);
      return (result, resource) => {
        const { object, field } = result.change;
        if (recording) {
          if (result.fault !== undefined) return;
          log.decide?.({ of: [resource], group: "patch", source: "object", object, field });
          return;
        }
        entry.results.push([result, resource]);
        cells.set(cell, entry);
      };
    },
    faults: () => {
      const found = new Map<string, PatchFault>();
      for (const [type, { change, fault }, resource] of all()) {
        if (fault === undefined) continue;
        const { object, field } = change;
        const one = { object, field, type, resource, message: fault };
        found.set(JSON.stringify(one), one);
      }
      return [...found.values()];
    },
    counts: () => countsOf(all()),
  };
}

function countsOf(
  results: Iterable<readonly [PatchedType, ChangeResult, string]>,
): readonly PatchCount[] {
  const found = new Map<string, { -readonly [F in keyof PatchCount]: PatchCount[F] }>();
  for (const [type, { change: { object }, fault }] of results) {
    const key = `${type} ${object}`;
    const count = found.get(key) ?? { object, type, applied: 0, failed: 0 };
    if (fault === undefined) count.applied++;
    else count.failed++;
    found.set(key, count);
  }
  return [...found.values()];
}
