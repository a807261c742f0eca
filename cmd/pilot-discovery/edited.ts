/**
 * The configuration objects behind rows: of an edit, for receipts, and of a resource that a proxy
 * rejected.
 *
 * @module
 */
import {
  type Mesh,
  TABLE_KINDS,
  type TableKind,
  tableOf,
  type Tables,
} from "../../lib/derive/mod.ts";
import type { Edit, View } from "../../lib/graph/mod.ts";
import type { Edited } from "../../lib/receipts/mod.ts";
import type { Culprit } from "../../lib/serve/mod.ts";
import { suspectsOf } from "../../lib/translate/mod.ts";
import type { Pending } from "./pending.ts";

/**
 * The object of a row. The mesh configuration and networks are objects without a namespace, and
 * count no generations: theirs is the revision. `undefined` for rows that are no configuration.
 */
export function editedObject(
  tables: Tables,
  pending: Pick<Pending, "seenAt">,
  { table, key, kind: change, revision }: Edit,
): Edited | undefined {
  if (table === tables.mesh.name || table === tables.networks.name) {
    return { kind: table, namespace: "", name: key, generation: revision, seenAt: undefined };
  }
  const kind = TABLE_KINDS.find((one) => one === table);
  if (kind === undefined) return undefined;
  const slash = key.indexOf("/");
  const meta = tableOf(tables, kind).peek(key)?.meta;
  return {
    kind,
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
    generation: change === "delete" ? undefined : meta?.generation,
    seenAt: pending.seenAt(kind, key),
  };
}

/** Objects named for one resource: the ones edited last are the likeliest reason. */
const NAMED = 20;
/** How many revisions back edits are looked for to put objects in order. */
const RECENT = 1_000;

/**
 * Finds the configuration objects that a resource comes from: those that
 * decided something about it before those that were read besides, of each the one edited last first.
 */
export function culpritsIn(mesh: Mesh): (view: View, name: string) => readonly Culprit[] {
  const { graph } = mesh;
  return (view, name) => {
    const cell = view.cellOf(name);
    if (!cell) return [];
    const decided = new Set(
      suspectsOf({ mesh, view, type: "", name }).map(({ object }) => object),
    );
    const edited = new Map<string, number>();
    for (const edit of graph.edits(Math.max(0, graph.revision - RECENT)) ?? []) {
      edited.set(`${edit.table}/${edit.key}`, edit.revision);
    }
    const objects = graph.origins(cell.table, cell.key)
      .filter((row) => TABLE_KINDS.some((kind) => row.startsWith(`${kind}/`)));
    const revision = (row: string) => edited.get(row) ?? 0;
    const rank = (row: string) => Number(decided.has(row));
    return [...objects]
      .sort((a, b) => rank(b) - rank(a) || revision(b) - revision(a))
      .slice(0, NAMED)
      .map((object) => ({ object, generation: generationOf(mesh, object) }));
  };
}

/** The generation that serves, of an object `kind/namespace/name`. */
function generationOf({ tables }: Mesh, object: string): number | undefined {
  const slash = object.indexOf("/");
  const kind = object.slice(0, slash) as TableKind;
  return tableOf(tables, kind).peek(object.slice(slash + 1))?.meta.generation;
}
