/**
 * Putting the engine together.
 *
 * @module
 */
import type {
  Collection,
  Derived,
  DeriveOptions,
  Edit,
  Graph,
  GraphOptions,
  Index,
  IndexCodecs,
  Input,
  InputOptions,
  Read,
  View,
} from "./api.ts";
import { audit, auditable } from "./audit.ts";
import { announce, IndexTable, type Place, placeRow } from "./buckets.ts";
import { LiveCollection } from "./collection.ts";
import { dump, faults, resetStats, stats } from "./dump.ts";
import { Engine } from "./engine.ts";
import { structuralEqual } from "./equal.ts";
import { evict } from "./evict.ts";
import { causes } from "./causes.ts";
import { blast, describeFault, origins, why } from "./explain.ts";
import { DerivedTable } from "./home.ts";
import { InputTable, transact } from "./input.ts";
import { type KeyCodec, text } from "./key/mod.ts";
import { costs } from "./ledger.ts";
import { publish, watchCell } from "./publish.ts";
import { pull } from "./pull.ts";
import { foreign } from "./fault.ts";
import { explain, peekCell } from "./peek.ts";
import { valueOf } from "./read.ts";
import { type AnySpec, ownTable, recipeOf } from "./recipe.ts";
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

/** Declaring tables. */
function tables(engine: Engine): Pick<Graph, "input" | "index" | "derive"> {
  return {
    input<V, K>(name: string, options: Partial<InputOptions<V, K>> = {}): Input<V, K> {
      const equal = (options.equal ?? structuralEqual) as Equal;
      const codec = (options.key ?? text) as KeyCodec<unknown>;
      return declare(engine, new InputTable(engine, name, codec, equal)) as Input<
        unknown,
        unknown
      > as Input<V, K>;
    },
    index<V, K, B, M>(
      table: Input<V, K>,
      name: string,
      ...rest: readonly [IndexCodecs<B, M>, Place] | readonly [Place]
    ): Index<B, M> {
      const [codecs, place] = rest.length === 2 ? rest : [{ bucket: text, member: text }, ...rest];
      return addIndex(engine, table, name, codecs, place) as Index<unknown, unknown> as Index<B, M>;
    },
    derive<V, K>(name: string, ...rest: DeriveArguments<V, K>): Derived<V, K> {
      const [codec, compute, options = {}] = typeof rest[0] === "function"
        ? [text as KeyCodec<unknown>, ...rest as PlainArguments<V>]
        : rest as TypedArguments<V, K>;
      const equal = (options.equal ?? structuralEqual) as Equal;
      const run = compute as (read: Read, key: unknown) => unknown;
      return declare(engine, new DerivedTable(engine, name, codec, run, equal)) as Derived<V, K>;
    },
  } as Pick<Graph, "input" | "index" | "derive">;
}

type PlainArguments<V> = [
  compute: (read: Read, key: string) => V,
  options?: DeriveOptions<V>,
];
type TypedArguments<V, K> = [
  codec: KeyCodec<K>,
  compute: (read: Read, key: K) => V,
  options?: DeriveOptions<V>,
];
type DeriveArguments<V, K> = PlainArguments<V> | TypedArguments<V, K>;

/** Looking at derived values from outside, once or for as long as one likes. */
function values(engine: Engine): Pick<Graph, "peek" | "explain" | "watch"> {
  return {
    peek<V, K>(table: Derived<V, K>, key: K): V {
      return valueOf(peekCell(engine, ownTable(engine, table), key)) as V;
    },
    explain: (cell) => explain(engine, cell),
    watch<V, K>(
      table: Derived<V, K>,
      key: K,
      onChange: (value: V) => void,
    ): { readonly value: V; close(): void } {
      const derived = ownTable(engine, table);
      engine.untracked("table", table.name);
      const changed = onChange as (value: unknown) => void;
      return watchCell(engine, derived, key, changed) as { readonly value: V; close(): void };
    },
  };
}

/** Making collections and views. */
function collections(engine: Engine): Pick<Graph, "collection" | "view"> {
  return {
    collection(name: string, spec: () => AnySpec): Collection {
      const known = engine.collections.get(name);
      if (known !== undefined) return known;
      if (engine.tables.has(name)) throw taken(name);
      const chosen = spec();
      const made = new LiveCollection(engine, name, chosen, recipeOf(engine, name, chosen));
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
function addIndex(
  engine: Engine,
  table: Input<unknown, unknown>,
  name: string,
  codecs: IndexCodecs<unknown, unknown>,
  place: Place,
): IndexTable {
  if (!(table instanceof InputTable) || table.engine !== engine) throw foreign(table.name);
  const index = declare(engine, new IndexTable(engine, name, table, codecs, place));
  for (const cell of table.rows.values()) {
    if (cell.value !== undefined) placeRow(index, cell.key, cell.value);
  }
  announce(engine);
  engine.flush();
  table.indexes.push(index);
  return index;
}

function taken(name: string): MeshError {
  return new MeshError("graph-name-taken", `The graph has something named ${name} already.`, {
    remedy: "Tables, indexes and collections of one graph need different names.",
  });
}
