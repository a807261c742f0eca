/**
 * Patched resources. What a proxy sees of a type that something changes is a
 * twin of each of its collections: the same members, whose resources are those of
 * the collection with the changes made. Twins are shared by all to whom the same
 * changes apply; who has none is served the collections themselves.
 *
 * @module
 */
import type { DecisionLog } from "../../base/mod.ts";
import { changeKeys, type Mesh, type Patching } from "../../derive/mod.ts";
import type { PatchedType } from "../../envoy/mod.ts";
import { type Collection, type Derived, keyOf, type Resource } from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";
import { copyScope, sameResources, tombstone } from "../resources/mod.ts";
import { addedResources, changedResource, type Hear, type Note } from "./apply.ts";
import { type ChangesKey, changesKeys, deriveChanges } from "./changes.ts";

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
type Tables = Readonly<Record<PatchedType, readonly AnyTable[]>>;

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

/** A resource with changes made to it. */
interface PatchedKey {
  readonly changes: ChangesKey;
  /** The key of the resource without them. */
  readonly base: unknown;
}

/** A table of resources, with keys of any type. */
type AnyTable = Derived<readonly Resource[], unknown>;

/** The members of a collection; listed ones with the codec that they have by default. */
function withCodec(
  { members, resources, keyOf }: Collection["spec"],
): Collection["spec"]["members"] {
  if ("index" in members || members.codec !== undefined || keyOf !== undefined) return members;
  return { ...members, codec: resources.keyCodec };
}

/** Creates the tables. */
export function createPatched(mesh: Mesh, bases: Tables): Patched {
  const { graph } = mesh;
  const changes = deriveChanges(mesh);
  const ledger = createLedger(mesh);
  const twins = new Map<AnyTable, Derived<readonly Resource[], PatchedKey>>();
  const options = { equal: sameResources };
  for (const type of TYPES) {
    for (const base of bases[type]) {
      const keys = keyOf<PatchedKey>({ changes: changesKeys, base: base.keyCodec });
      const table = graph.derive(`patched/${base.name}`, keys, (read, key) => {
        const resources = read.follow(base, key.base);
        const all = read.get(changes, key.changes);
        const hear = ledger.hear(type, `${base.name} ${keys.encode(key)}`, read);
        return resources.map((r) =>
          r.tombstone ? r : changedResource(r, type, all, hear) ?? tombstone(r.name)
        );
      }, options);
      twins.set(base, table);
    }
  }
  const added = Object.fromEntries(TYPES.map((type) => {
    const table = graph.derive(
      `patched.added/${type}`,
      changesKeys,
      (read, key): readonly Resource[] => {
        const hear = ledger.hear(type, `added ${changesKeys.encode(key)}`, read);
        return addedResources(type, read.get(changes, key), hear);
      },
      options,
    );
    return [type, table] as const;
  })) as Record<PatchedType, Derived<readonly Resource[], ChangesKey>>;

  const twinOf = (changes: ChangesKey, collection: Collection): Collection => {
    const { spec } = collection;
    const table = twins.get(spec.resources);
    if (table === undefined) return collection;
    const name = `patched/${changesKeys.encode(changes)}/${collection.name}`;
    const twin = graph.collection(name, () => ({
      ...spec,
      members: withCodec(spec),
      resources: table,
      keyOf: (member: unknown) => ({ changes, base: spec.keyOf?.(member) ?? member }),
    }));
    return copyScope(collection, twin);
  };
  const tables = Object.fromEntries(
    TYPES.map((type) => [type, [...bases[type].map((base) => twins.get(base)!), added[type]]]),
  ) as unknown as Tables;
  return {
    layers: (type, role, names, collections) => {
      if (names === "") return collections;
      const key = { role, changes: changeKeys.decode(names) };
      const top = graph.collection(`patched.added/${type}/${changesKeys.encode(key)}`, () => ({
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
  hear(type: PatchedType, cell: string, log: DecisionLog): Hear;
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
    hear: (type, cell, log) => {
      // Whoever asks for an explanation computes again what is there.
      const entry = { type, notes: [] as [Note, string][] };
      if (log.decide === undefined) cells.delete(cell);
      return (note, resource) => {
        const { object, field } = note.change;
        if (note.fault === undefined) {
          log.decide?.({ of: [resource], group: "patch", source: "object", object, field });
        }
        if (log.decide !== undefined) return;
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
