/**
 * The objects in use of a mesh, for an analysis.
 *
 * @module
 */
import { type Mesh, TABLE_KINDS, tableOf } from "../../mesh/derive/mod.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";

/** All objects of a mesh, as additions. Rows are immutable and shared. */
export function allObjects({ tables }: Mesh): ObjectChange[] {
  return TABLE_KINDS.flatMap((kind) =>
    tableOf(tables, kind).keys().map((key) => ({
      kind,
      key,
      object: tableOf(tables, kind).peek(key),
    }))
  );
}
