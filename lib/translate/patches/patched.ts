/**
 * Patched resources. What a proxy sees of a type that something changes is a
 * twin of each of its collections: the same members, whose resources are those of
 * the collection with the changes made. Twins are shared by all to whom the same
 * changes apply; who has none is served the collections themselves.
 *
 * @module
 */
import { deriveTelling, lookUp, type Mesh, type Patching, type Tell } from "../../derive/mod.ts";
import type { PatchedType } from "../../envoy/mod.ts";
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";
import { copyScope, namedCollection, sameResources, specOf, tombstone } from "../resources/mod.ts";
import { addedResources, changedResource, type Hear, type Note } from "./apply.ts";
import { deriveChanges } from "./changes.ts";

/** A change that does not apply to a resource as it would make it invalid. */
export interface PatchFault {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `spec.configPatches[0]`. */
  readonly field: string;
  readonly type: PatchedType;
  readonly resource: string;
  readonly message: string;
}

/** To how many resources the changes of an object apply, by what they apply to, and to how many they do not. */
export interface PatchCount {
  readonly object: string;
  readonly type: PatchedType;
  readonly applied: number;
  readonly failed: number;
}

/** The tables of a type. */
type Tables = Readonly<Record<PatchedType, readonly Derived<readonly Resource[]>[]>>;

/** Patched resources at work. */
export interface Patched {
  /** Puts the twins of one type in the place of collections, under what is added. */
  layers(
    type: PatchedType,
    role: Role,
    names: string,
    collections: readonly Collection[],
  ): readonly Collection[];
  /** Every table of patched resources. */
  readonly tables: Tables;
  /** Changes that do not apply where they should. */
  faults(): readonly PatchFault[];
  /** What changes do, as far as it was computed. */
  counts(): readonly PatchCount[];
}

/** Part of {@link Patching} that a type is changed by. */
export const PATCHED_BY: Readonly<Record<PatchedType, keyof Patching>> = {
  cluster: "cluster",
  listener: "listener",
  route: "route",
  virtualHost: "route",
  extension: "extension",
};

const TYPES = Object.keys(PATCHED_BY) as PatchedType[];

/** What separates the changes from the key of what is changed. */
const SEPARATOR = "!";

/** Creates the tables. */
export function createPatched(mesh: Mesh, bases: Tables): Patched {
  const { graph } = mesh;
  const changes = deriveChanges(mesh);
  const ledger = createLedger(mesh);
  const twins = new Map<Derived<readonly Resource[]>, Derived<readonly Resource[]>>();
  const options = { equal: sameResources };
  for (const type of TYPES) {
    for (const base of bases[type]) {
      const table = deriveTelling<readonly Resource[]>(
        graph,
        `patched/${base.name}`,
        (read, key, tell) => {
          const at = key.indexOf(SEPARATOR);
          const resources = lookUp(read, base, key.slice(at + 1), tell);
          const all = read.get(changes, key.slice(0, at));
          const hear = ledger.hear(type, `${base.name} ${key}`, tell);
          return resources.map((r) =>
            r.tombstone ? r : changedResource(r, type, all, hear) ?? tombstone(r.name)
          );
        },
        options,
      );
      twins.set(base, table);
    }
  }
  const added = Object.fromEntries(TYPES.map((type) => {
    const table = deriveTelling<readonly Resource[]>(
      graph,
      `patched.added/${type}`,
      (read, key, tell) =>
        addedResources(type, read.get(changes, key), ledger.hear(type, `added ${key}`, tell)),
      options,
    );
    return [type, table] as const;
  })) as Record<PatchedType, Derived<readonly Resource[]>>;

  const twinOf = (key: string, collection: Collection): Collection => {
    const spec = specOf(collection);
    const table = spec && twins.get(spec().resources);
    if (spec === undefined || table === undefined) return collection;
    const twin = namedCollection(graph, `patched/${key}${SEPARATOR}${collection.name}`, () => {
      const { keyOf = (member: string) => member, ...rest } = spec();
      return {
        ...rest,
        resources: table,
        keyOf: (member) => `${key}${SEPARATOR}${keyOf(member)}`,
      };
    });
    return copyScope(collection, twin);
  };
  const tables = Object.fromEntries(
    TYPES.map((type) => [type, [...bases[type].map((base) => twins.get(base)!), added[type]]]),
  ) as unknown as Tables;
  return {
    layers: (type, role, names, collections) => {
      if (names === "") return collections;
      const key = `${role}|${names}`;
      const top = namedCollection(graph, `patched.added/${type}/${key}`, () => ({
        members: { list: [key] },
        resources: added[type],
      }));
      return [top, ...collections.map((collection) => twinOf(key, collection))];
    },
    tables,
    faults: ledger.faults,
    counts: ledger.counts,
  };
}

/** What was heard while cells were computed: no part of what they are, so that it is kept beside them. */
function createLedger({ tables }: Mesh): Pick<Patched, "faults" | "counts"> & {
  hear(type: PatchedType, cell: string, tell: Tell | undefined): Hear;
} {
  const cells = new Map<string, { readonly type: PatchedType; notes: [Note, string][] }>();
  // Cells of changes that nobody has any more are not computed again.
  const stands = ({ change: { object } }: Note): boolean => {
    const slash = object.indexOf("/");
    const table = object.startsWith("Wasm") ? tables.wasmPlugins : tables.dataproxyFilters;
    return table.peek(object.slice(slash + 1)) !== undefined;
  };
  const all = function* (): Generator<readonly [PatchedType, Note, string]> {
    for (const { type, notes } of cells.values()) {
      for (const [note, resource] of notes) if (stands(note)) yield [type, note, resource];
    }
  };
  return {
    hear: (type, cell, tell) => {
      // Whoever asks for an explanation computes again what is there.
      const entry = { type, notes: [] as [Note, string][] };
      if (tell === undefined) cells.delete(cell);
      return (note, resource) => {
        const { object, field } = note.change;
        if (note.fault === undefined) {
          tell?.({ of: [resource], group: "patch", source: "object", object, field });
        }
        if (tell !== undefined) return;
        entry.notes.push([note, resource]);
        cells.set(cell, entry);
      };
    },
    faults: () => {
      const found = new Map<string, PatchFault>();
      for (const [type, { change, fault }, resource] of all()) {
        if (fault === undefined) continue;
        const { object, field } = change;
        const one = { object, field, type, resource, message: fault };
        found.set(JSON.stringify(one), one);
      }
      return [...found.values()];
    },
    counts: () => {
      const found = new Map<string, { object: string; type: PatchedType } & Counters>();
      for (const [type, { change: { object }, fault }] of all()) {
        const key = `${type} ${object}`;
        const count = found.get(key) ?? { object, type, applied: 0, failed: 0 };
        if (fault === undefined) count.applied++;
        else count.failed++;
        found.set(key, count);
      }
      return [...found.values()];
    },
  };
}

interface Counters {
  applied: number;
  failed: number;
}
