/**
 * The configuration objects that a resource comes from, the most likely cause of a rejection first.
 *
 * @module
 */
import { type Mesh, tableOf } from "../../derive/mod.ts";
import { parseRowRef, rowRef, type View } from "../../graph/mod.ts";
import { objectOfRef, objectOfRow, rowOfObject } from "../../model/mod.ts";
import { isTableKind } from "../../schema/mod.ts";
import { suspectsOf } from "./provenance.ts";

/** An object and its version that is in use. */
export interface CulpritObject {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `undefined` when it does not exist any more. */
  readonly generation: number | undefined;
}

/** Objects that are named for one resource. */
const NAMED = 20;
/** Revisions in which edits are looked up, to sort objects by their last edit. */
const RECENT = 1_000;

/**
 * Finds the objects of a resource of a view: objects that decided a field of it first, then other
 * objects that were read; within both the last edited one first.
 */
export function culpritsIn(mesh: Mesh): (view: View, name: string) => readonly CulpritObject[] {
  const { graph } = mesh;
  return (view, name) => {
    const cell = view.cellOf(name);
    if (!cell) return [];
    const decided = new Set(
      suspectsOf({ mesh, view, type: "", name }).map(({ object }) => object),
    );
    const edited = new Map<string, number>();
    for (const edit of graph.edits(Math.max(0, graph.revision - RECENT)) ?? []) {
      edited.set(rowRef(objectOfRow(edit)), edit.revision);
    }
    const objects = graph.origins(cell.table, cell.key)
      .filter((row) => isTableKind(parseRowRef(row)?.table ?? "")).map(objectOfRef);
    const revision = (row: string) => edited.get(row) ?? 0;
    const rank = (row: string) => Number(decided.has(row));
    return [...objects]
      .sort((a, b) => rank(b) - rank(a) || revision(b) - revision(a))
      .map((object) => ({ object, generation: generationOf(mesh, object) }))
      // A computation also reads objects that it looked for and that never existed.
      .filter(({ object, generation }) => generation !== undefined || edited.has(object))
      .slice(0, NAMED);
  };
}

/** The generation in use of an object `Kind/namespace/name`. */
function generationOf({ tables }: Mesh, object: string): number | undefined {
  const named = parseRowRef(object);
  const row = named && rowOfObject(named);
  if (row === undefined || !isTableKind(row.table)) return undefined;
  return tableOf(tables, row.table).peek(row.key)?.meta.generation;
}
