/**
 * The configuration object of an edited row.
 *
 * @module
 */
import { tableOf, type Tables } from "../../mesh/derive/mod.ts";
import type { Edit } from "../../mesh/graph/mod.ts";
import { objectKeys, objectOfRow } from "../../mesh/model/mod.ts";
import { isTableKind } from "../../mesh/schema/mod.ts";
import type { Edited } from "./types.ts";

/**
 * The object of a row. The mesh configuration and the networks are objects without a namespace; their
 * generation is the revision. `undefined` for rows that are not configuration.
 *
 * @param seenAt when the edit of an object was seen, milliseconds since the epoch
 */
export function editedObject(
  tables: Tables,
  seenAt: (kind: string, key: string) => number | undefined,
  { table, key, kind: change, revision }: Edit,
): Edited | undefined {
  if (table === tables.mesh.name || table === tables.networks.name) {
    return { kind: table, namespace: "", name: key, generation: revision, seenAt: undefined };
  }
  if (!isTableKind(table)) return undefined;
  const meta = tableOf(tables, table).peek(key)?.meta;
  const named = objectOfRow({ table, key });
  return {
    kind: named.table,
    ...objectKeys.decode(named.key),
    generation: change === "delete" ? undefined : meta?.generation,
    seenAt: seenAt(table, key),
  };
}
