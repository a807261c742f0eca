/**
 * Patched layers. A proxy with patches of a type sees a derived layer instead of each collection of
 * that type: the same members with patched resources. All proxies with the same changes share
 * patched layers. Proxies without changes see the collections themselves.
 *
 * @module
 */
import type { Patching } from "../../derive/mod.ts";
import type { PatchedType } from "../../envoy/mod.ts";
import {
  type Collection,
  type KeyCodec,
  keyOf,
  type Read,
  type Resource,
} from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import {
  type AnyResourceTable,
  anyTable,
  collection,
  derivedLayer,
  type ResourceTable,
  resourceTable,
  tombstone,
} from "../resources/mod.ts";
import { addedResources, changedResource } from "./apply.ts";
import { type ChangesKey, changesKeys, deriveChanges } from "./changes.ts";
import { createPatchReport, type PatchReport } from "./report.ts";

export type TablesByType = Readonly<Record<PatchedType, readonly AnyResourceTable[]>>;

/** Patched layers. */
export interface Patched extends Pick<PatchReport, "faults" | "counts"> {
  /** Replaces the collections of one type by their patched layers, below the added resources. */
  layers(
    type: PatchedType,
    changes: ChangesKey,
    collections: readonly Collection[],
  ): readonly Collection[];
  /** All tables of patched resources. */
  readonly tables: TablesByType;
}

/** The part of {@link Patching} that patches a type. */
export const PATCHED_BY: Readonly<Record<PatchedType, keyof Patching>> = {
  cluster: "cluster",
  listener: "listener",
  route: "route",
  virtualHost: "route",
  extension: "extension",
};

const TYPES = Object.keys(PATCHED_BY) as PatchedType[];

/** Changes, and the key of the resources that they change. */
interface PatchedKey {
  readonly changes: ChangesKey;
  readonly of: unknown;
}

/** Parent resources: they are patched in place of their parts, which are made of the result. */
export interface Parent {
  /** The parent resources, by the keys of their parts. */
  readonly table: AnyResourceTable;
  /** The part of a patched parent; `undefined`: a patch removed it. */
  readonly partOf: (read: Read, key: unknown, parent: Resource | undefined) => Resource;
}

/**
 * Creates the tables.
 *
 * @param parents parent resources, by the tables of their parts
 */
export function createPatched(
  { mesh, features }: Pick<Context, "mesh" | "features">,
  bases: TablesByType,
  parents: ReadonlyMap<AnyResourceTable, Parent> = new Map(),
): Patched {
  const { graph } = mesh;
  const report = createPatchReport(mesh);
  const changes = deriveChanges(mesh, features.fips);
  const patched = new Map<AnyResourceTable, ResourceTable<PatchedKey>>();
  for (const type of TYPES) {
    for (const base of bases[type]) {
      const codec: KeyCodec<PatchedKey> = keyOf<PatchedKey>({
        changes: changesKeys,
        of: base.keyCodec,
      });
      const name = `patched/${base.name}`;
      const table = resourceTable(graph, name, codec, (read, key) => {
        const parent = parents.get(base);
        const resources = read.follow(parent?.table ?? base, key.of);
        const all = read.get(changes, key.changes);
        const note = report.start(type, `${base.name} ${codec.encode(key)}`, read);
        return resources.map((r) => {
          if (r.tombstone) return r;
          const changed = changedResource(r, type, all, note);
          return parent?.partOf(read, key.of, changed) ?? changed ?? tombstone(r.name);
        });
      });
      patched.set(base, table);
    }
  }
  const added = Object.fromEntries(TYPES.map((type) => {
    const table = resourceTable(graph, `patched.added/${type}`, changesKeys, (read, key) => {
      const note = report.start(type, `added ${changesKeys.encode(key)}`, read);
      return addedResources(type, read.get(changes, key), note);
    });
    return [type, table] as const;
  })) as Record<PatchedType, ResourceTable<ChangesKey>>;
  const layerOf = (key: ChangesKey, original: Collection): Collection => {
    const table = patched.get(original.spec.resources);
    if (table === undefined) return original;
    return derivedLayer(graph, original, {
      name: `patched/${changesKeys.encode(key)}/${original.name}`,
      table: anyTable(table),
      keyOf: (of): PatchedKey => ({ changes: key, of }),
    });
  };
  return {
    layers: (type, key, collections) => {
      if (key.changes.length === 0) return collections;
      const name = `patched.added/${type}/${changesKeys.encode(key)}`;
      const top = collection({ context: { mesh } }, name, () => ({
        members: { list: [key] },
        resources: added[type],
      }));
      return [top, ...collections.map((original) => layerOf(key, original))];
    },
    tables: Object.fromEntries(TYPES.map((type) => {
      const tables = bases[type].map((base) => anyTable(patched.get(base)!));
      return [type, [...tables, anyTable(added[type])]] as const;
    })) as unknown as TablesByType,
    faults: report.faults,
    counts: report.counts,
  };
}
