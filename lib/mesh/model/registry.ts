/**
 * Rows of an orchestrator's Services and pods. They are in the tables of ServiceEntries and
 * WorkloadEntries, under names that no object can have.
 *
 * @module
 */
import { parseRowRef, type RowRef, rowRef } from "../graph/mod.ts";
import { objectKeys, type ObjectMeta } from "./object.ts";

interface SharedTable {
  readonly table: string;
  /** Prefix of the row's name; names of objects have no colon. */
  readonly prefix: string;
}

/** Kinds of an orchestrator → the table that has their rows. */
const SHARED: Readonly<Record<string, SharedTable>> = {
  Service: { table: "ServiceEntry", prefix: "service:" },
  Pod: { table: "WorkloadEntry", prefix: "pod:" },
};

/** True for a kind whose rows are in the table of another kind. */
export function isRegistryKind(kind: string): boolean {
  return Object.hasOwn(SHARED, kind);
}

/** The row of a named object, for example `Service/shop/web`: `ServiceEntry/shop/service:web`. */
export function rowOfObject(ref: RowRef): RowRef {
  const shared = isRegistryKind(ref.table) ? SHARED[ref.table] : undefined;
  if (shared === undefined) return ref;
  const { namespace, name } = objectKeys.decode(ref.key);
  const key = objectKeys.encode({ namespace, name: `${shared.prefix}${name}` });
  return { table: shared.table, key };
}

/** The inverse of {@link rowOfObject}: the name of the object that a row is from. */
export function objectOfRow<R extends RowRef>(row: R): R {
  for (const [kind, { table, prefix }] of Object.entries(SHARED)) {
    if (row.table !== table || !row.key.includes(`/${prefix}`)) continue;
    const { namespace, name } = objectKeys.decode(row.key);
    const key = objectKeys.encode({ namespace, name: name.slice(prefix.length) });
    return { ...row, table: kind, key };
  }
  return row;
}

/** Name of the row of another cluster's object: names of objects have no `@`. */
export function nameInCluster(name: string, cluster: string): string {
  return `${name}@${cluster}`;
}

/** The inverse of {@link nameInCluster}: the name that the object has in its cluster. */
export function nameOfObject(
  { name, origin: { cluster } }: Pick<ObjectMeta, "name" | "origin">,
): string {
  return cluster === undefined ? name : name.slice(0, -nameInCluster("", cluster).length);
}

/** Like {@link objectOfRow}, for texts `table/key`. */
export function objectOfRef(ref: string): string {
  const row = parseRowRef(ref);
  return row === undefined ? ref : rowRef(objectOfRow(row));
}
