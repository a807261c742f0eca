/**
 * Rows that were reported, and the changes since the last report.
 *
 * @module
 */
import type { ObjectChanges } from "../../../ingest/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import type { ObjectIdentity } from "../../../schema/mod.ts";

/** The rows of one cluster, by kind and id (`NAMESPACE NAME`). */
export interface Rows {
  /** Sets the row of an object; `undefined`: there is none. */
  put(kind: "Service" | "Pod", id: string, row: ConfigObject | undefined): void;
  /** Changes since the last call. */
  take(): ObjectChanges;
  /** Rows of Services. */
  services(): readonly ConfigObject[];
}

/** Starts empty. */
export function createRows(): Rows {
  const rows = { Service: new Map<string, ConfigObject>(), Pod: new Map<string, ConfigObject>() };
  let upserts: ConfigObject[] = [];
  let deletes: ObjectIdentity[] = [];
  return {
    put(kind, id, row) {
      const last = rows[kind].get(id);
      if (row === undefined) {
        if (!rows[kind].delete(id)) return;
        const [namespace = "", name = ""] = id.split(" ");
        deletes.push({ kind, namespace, name: name });
        return;
      }
      // Creation time matters for precedence when an object is made anew under its name.
      if (row.digest === last?.digest && row.meta.creationTime === last.meta.creationTime) return;
      const generation = (last?.meta.generation ?? 0) + 1;
      const next = { ...row, meta: { ...row.meta, generation } };
      rows[kind].set(id, next);
      upserts.push(next);
    },
    take() {
      const changes = { upserts, deletes };
      [upserts, deletes] = [[], []];
      return changes;
    },
    services: () => [...rows.Service.values()],
  };
}
