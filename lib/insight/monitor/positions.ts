/**
 * Warnings about objects of the mesh, at the position of the object in its file.
 *
 * @module
 */
import { isTableKind, type SchemaProblem } from "../../mesh/schema/mod.ts";
import { type Mesh, tableOf } from "../../mesh/derive/mod.ts";
import { objectKeys, rowOfObject } from "../../mesh/model/mod.ts";
import { DependencyFault, parseRowRef } from "../../mesh/graph/mod.ts";

/** The part of a warning that does not depend on the position of its object. */
export interface Finding extends Pick<SchemaProblem, "path" | "code" | "message" | "remedy"> {
  /** `Kind/namespace/name`; empty for the mesh configuration. */
  readonly object: string;
}

/** Makes a warning of a finding: adds file and line of the object that is in use. */
export function warningAt({ tables }: Mesh, { object, ...finding }: Finding): SchemaProblem {
  const named = parseRowRef(object);
  const row = named && rowOfObject(named);
  const origin = row !== undefined && isTableKind(row.table)
    ? tableOf(tables, row.table).peek(row.key)?.meta.origin
    : undefined;
  return {
    file: origin?.file ?? origin?.source ?? "",
    line: origin?.line ?? 1,
    column: 1,
    ...finding,
    object: named === undefined
      ? undefined
      : { kind: named.table, ...objectKeys.decode(named.key) },
  };
}

/**
 * The result of a read of derived tables, or `fallback` while a computation that it needs has a
 * fault. The fault is reported elsewhere and must not end a scrape.
 */
export function unlessFaulty<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DependencyFault) return fallback;
    throw error;
  }
}
