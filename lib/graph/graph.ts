/**
 * Putting the engine together.
 *
 * @module
 */
import type {
  Collection,
  CollectionSpec,
  Derived,
  DeriveOptions,
  Edit,
  Graph,
  GraphOptions,
  Index,
  Input,
  Read,
  View,
} from "./api.ts";
import { audit, auditable } from "./audit.ts";
import { announce, IndexTable, type Place, placeRow } from "./buckets.ts";
import { LiveCollection, type Recipe } from "./collection.ts";
import { dump, faults, resetStats, stats } from "./dump.ts";
import { Engine, weigh } from "./engine.ts";
import { structuralEqual } from "./equal.ts";
import { evict } from "./evict.ts";
import { causes } from "./causes.ts";
import { blast, describeFault, origins, why } from "./explain.ts";
import { DerivedTable } from "./home.ts";
import { InputTable, transact } from "./input.ts";
import { costs } from "./ledger.ts";
import { publish, watchCell } from "./publish.ts";
import { pull } from "./pull.ts";
import { foreign } from "./fault.ts";
import { derivedCell, valueOf } from "./read.ts";
import { LayeredView } from "./view.ts";
import { prepare, warm } from "./warm.ts";
import { MeshError } from "../base/mod.ts";

type Equal = (a: unknown, b: unknown) => boolean;

/** A new, empty graph. */
export function createGraph(options: GraphOptions = {}): Graph {
  const engine = new Engine(options);
  engine.pull = (cell) => pull(engine, cell);
  engine.describe = describeFault;
  return {
    get revision() {
      return engine.revision;
    },
    get published() {
      return engine.published;
    },
    ...tables(engine),
    ...values(engine),
    ...collections(engine),
    ...questions(engine),
    ...changes(engine),
    auditable: () => auditable(engine),
    audit: (table, key, options = {}) => audit(engine, table, key, options),
    transaction: (change) => transact(engine, change),
    warm: (millis) => warm(engine, deadline(engine, millis)),
    prepare: (millis) => prepare(engine, deadline(engine, millis)),
    publish: () => publish(engine),
    evict: (keep) => evict(engine, keep),
  };
}

/** Tells whether so many milliseconds have gone; never, without a clock. */
function deadline(engine: Engine, millis: number): () => boolean {
  const end = (engine.now?.() ?? 0) + millis;
  return () => engine.now !== undefined && engine.now() >= end;
}

/** Declaring tables, and reading them from outside. */
function tables(engine: Engine): Pick<Graph, "input" | "index" | "derive"> {
  return {
    input<V>(name: string, options: { readonly equal?: (a: V, b: V) => boolean } = {}): Input<V> {
      const equal = (options.equal ?? structuralEqual) as Equal;
      return declare(engine, new InputTable(engine, name, equal)) as Input<V>;
    },
    index<V>(
      table: Input<V>,
      name: string,
      place: (row: V, key: string) => Iterable<readonly [bucket: string, member: string]>,
    ): Index {
      return addIndex(engine, table, name, place as Place);
    },
    derive<V>(
      name: string,
      compute: (read: Read, key: string) => V,
      options: DeriveOptions<V> = {},
    ): Derived<V> {
      const equal = (options.equal ?? structuralEqual) as Equal;
      return declare(engine, new DerivedTable(engine, name, compute, equal));
    },
  };
}

/** Looking at derived values from outside, once or for as long as one likes. */
function values(engine: Engine): Pick<Graph, "peek" | "watch"> {
  return {
    peek<V>(table: Derived<V>, key: string): V {
      const derived = own(engine, table);
      engine.untracked("table", table.name);
      const cell = derivedCell(engine, derived, key);
      // Looked at now: the last to be evicted.
      if (engine.unread.delete(cell)) engine.unread.add(cell);
      engine.pull(cell);
      engine.flush();
      return valueOf(cell) as V;
    },
    watch<V>(
      table: Derived<V>,
      key: string,
      onChange: (value: V) => void,
    ): { readonly value: V; close(): void } {
      const derived = own(engine, table);
      engine.untracked("table", table.name);
      const tell = onChange as (value: unknown) => void;
      return watchCell(engine, derived, key, tell) as { readonly value: V; close(): void };
    },
  };
}

/** Making collections and views. */
function collections(engine: Engine): Pick<Graph, "collection" | "view"> {
  return {
    collection(name: string, spec: () => CollectionSpec): Collection {
      const known = engine.collections.get(name);
      if (known !== undefined) return known;
      if (engine.tables.has(name)) throw taken(name);
      const made = new LiveCollection(engine, name, recipe(engine, spec()));
      engine.collections.set(name, made);
      engine.orphans.add(made);
      return made;
    },
    view(layers: readonly Collection[]): View {
      const live = layers.map((layer) => {
        if (layer instanceof LiveCollection && layer.engine === engine) return layer;
        throw foreign(layer.name);
      });
      const id = live.map((layer) => layer.id).join(",");
      let view = engine.views.get(id);
      if (view === undefined) {
        engine.views.set(id, view = new LayeredView(live));
        for (const layer of live) layer.viewIds.add(id);
      }
      return view;
    },
  };
}

/** What can be asked about the graph itself. */
function questions(
  engine: Engine,
): Pick<
  Graph,
  "why" | "origins" | "blast" | "cells" | "faults" | "stats" | "resetStats" | "dump"
> {
  return {
    cells: () => keptCells(engine),
    why: (table, key) => why(engine, table, key),
    origins: (table, key) => origins(engine, table, key),
    blast: (table, key) => blast(engine, table, key),
    faults: () => faults(engine),
    stats: () => stats(engine),
    resetStats: () => resetStats(engine),
    dump: (options = {}) => dump(engine, options.values ?? false),
  };
}

/** What can be asked about edits. */
function changes(engine: Engine): Pick<Graph, "edits" | "publishedWith" | "causes" | "costs"> {
  return {
    edits: (since) => engine.edits.since(since),
    publishedWith: (revision) => engine.publications.next(revision - 1)?.revision,
    causes(collection: Collection, name: string): readonly Edit[] {
      if (collection instanceof LiveCollection && collection.engine === engine) {
        return causes(engine, collection, name);
      }
      throw foreign(collection.name);
    },
    costs: (options = {}) => costs(engine, options),
  };
}

function* keptCells(engine: Engine): IterableIterator<readonly [string, string]> {
  for (const table of engine.tables.values()) {
    if (table.kind !== "derived") continue;
    for (const key of table.cells.keys()) yield [table.name, key];
  }
}

function declare<T extends InputTable | DerivedTable | IndexTable>(engine: Engine, table: T): T {
  engine.mustBeIdle(`Declaring the table ${table.name}`);
  if (engine.tables.has(table.name) || engine.collections.has(table.name)) throw taken(table.name);
  engine.tables.set(table.name, table);
  return table;
}

/** An index over a table, with the rows that are there already. */
function addIndex(engine: Engine, table: Input<unknown>, name: string, place: Place): Index {
  if (!(table instanceof InputTable) || table.engine !== engine) throw foreign(table.name);
  const index = declare(engine, new IndexTable(engine, name, table, place));
  for (const cell of table.rows.values()) {
    if (cell.value !== undefined) placeRow(index, cell.key, cell.value);
  }
  announce(engine);
  engine.flush();
  table.indexes.push(index);
  return index;
}

/** Exchanges the tables a specification names for the engine's own. */
function recipe(engine: Engine, spec: CollectionSpec): Recipe {
  const { members, resources, keyOf } = spec;
  const from = "bucketsFrom" in members
    ? members.bucketsFrom
    : "listFrom" in members
    ? members.listFrom
    : undefined;
  let index: IndexTable | undefined;
  if ("index" in members) {
    if (!(members.index instanceof IndexTable) || members.index.engine !== engine) {
      throw foreign(members.index.name);
    }
    index = members.index;
  }
  const made = own(engine, resources);
  if (!made.heavy) holdResources(engine, made);
  return {
    members,
    index,
    listTable: from === undefined ? undefined : own(engine, from[0]),
    listKey: from?.[1] ?? "",
    resources: made,
    keyOf,
  };
}

/** From now on the bytes that a table's values hold are counted; those of unread cells are made up for. */
function holdResources(engine: Engine, table: DerivedTable): void {
  table.heavy = true;
  for (const cell of table.cells.values()) {
    if (engine.unread.has(cell)) engine.unreadBytes += weigh(cell.value);
  }
}

function own(engine: Engine, table: Derived<unknown>): DerivedTable {
  if (table instanceof DerivedTable && table.engine === engine) return table;
  throw foreign(table.name);
}

function taken(name: string): MeshError {
  return new MeshError("graph-name-taken", `The graph has something named ${name} already.`, {
    remedy: "Tables, indexes and collections of one graph need different names.",
  });
}
