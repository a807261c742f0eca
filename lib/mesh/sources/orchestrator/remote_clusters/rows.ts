/**
 * The rows of one cluster. While a cluster's credentials are replaced, two registries follow it; only
 * one of them feeds the rows.
 *
 * @module
 */
import type { Intake, ObjectChanges } from "../../../ingest/mod.ts";
import { type ConfigObject, nameInCluster, nameOfObject, objectKeys } from "../../../model/mod.ts";
import type { ObjectIdentity } from "../../../schema/mod.ts";

/** The rows of one cluster, as they were reported. */
export interface ClusterRows {
  /** A feed whose changes are collected until it is used. */
  feed(): RowFeed;
  /** Reports the deletion of all rows. */
  clear(): void;
  readonly size: number;
}

/** The receiving side of one registry. */
export interface RowFeed extends Pick<Intake, "objects"> {
  /** Reports the differences to the rows in use, and later changes from then on. */
  use(): void;
}

/** Settings of the rows of a cluster. */
export interface ClusterRowsOptions {
  readonly cluster: string;
  /** `meta.origin.source` of the rows. */
  readonly source: string;
  readonly intake: Pick<Intake, "objects">;
}

/** Starts without rows. */
export function createClusterRows(options: ClusterRowsOptions): ClusterRows {
  return new Rows(options);
}

class Rows implements ClusterRows {
  readonly #options: ClusterRowsOptions;
  readonly #reported = new Map<string, ConfigObject>();
  #used: RowFeed | undefined;

  constructor(options: ClusterRowsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#reported.size;
  }

  feed(): RowFeed {
    const collected = new Map<string, ConfigObject>();
    const feed: RowFeed = {
      objects: (changes) => {
        if (this.#used === feed) return this.#report(changes);
        for (const object of changes.upserts) collected.set(keyOf(object.meta), object);
        for (const identity of changes.deletes) collected.delete(keyOf(identity));
      },
      use: () => {
        this.#used = feed;
        const gone = [...this.#reported].filter(([key]) => !collected.has(key));
        const deletes = gone.map(([, { meta }]) => ({
          ...identityOf(meta),
          name: nameOfObject(meta),
        }));
        this.#report({ upserts: [...collected.values()], deletes });
        collected.clear();
      },
    };
    return feed;
  }

  clear(): void {
    this.#used = undefined;
    const deletes = [...this.#reported.values()].map(({ meta }) => identityOf(meta));
    this.#reported.clear();
    if (deletes.length > 0) this.#options.intake.objects({ upserts: [], deletes });
  }

  /** Reports changes under the names of the cluster's rows, as far as they change something. */
  #report({ upserts, deletes }: ObjectChanges): void {
    const { cluster, intake } = this.#options;
    const changed: ConfigObject[] = [];
    for (const object of upserts) {
      const key = keyOf(object.meta);
      const last = this.#reported.get(key);
      if (last?.digest === object.digest) continue;
      const row = this.#rowOf(object, last);
      this.#reported.set(key, row);
      changed.push(row);
    }
    const deleted = deletes.filter((identity) => this.#reported.delete(keyOf(identity)))
      .map((identity) => ({ ...identity, name: nameInCluster(identity.name, cluster) }));
    if (changed.length + deleted.length === 0) return;
    intake.objects({ upserts: changed, deletes: deleted });
  }

  #rowOf(object: ConfigObject, last: ConfigObject | undefined): ConfigObject {
    const { cluster, source } = this.#options;
    const generation = (last?.meta.generation ?? 0) + 1;
    const { uid } = object.meta.origin;
    const origin = { source, cluster, ...(uid === undefined ? {} : { uid }) };
    const name = nameInCluster(object.meta.name, cluster);
    return { ...object, meta: { ...object.meta, name, generation, origin } };
  }
}

function identityOf({ kind, namespace, name }: ObjectIdentity): ObjectIdentity {
  return { kind, namespace, name };
}

function keyOf({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind}/${objectKeys.encode({ namespace, name })}`;
}
