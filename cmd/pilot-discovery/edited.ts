/**
 * The configuration object behind a row that was edited, for receipts.
 *
 * @module
 */
import { TABLE_KINDS, tableOf, type Tables } from "../../lib/derive/mod.ts";
import type { Edit } from "../../lib/graph/mod.ts";
import type { Edited } from "../../lib/receipts/mod.ts";
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
