/**
 * Composition of the engine.
 *
 * @module
 */
import type {
  Collection,
  Derived,
  DeriveOptions,
  Edit,
  FeedOptions,
  Graph,
  GraphOptions,
  Index,
  IndexCodecs,
  Input,
  InputOptions,
  Read,
  View,
} from "./api/mod.ts";
import { foreign, structuralEqual } from "./cells/mod.ts";
import { type AnySpec, LayeredView, LiveCollection, recipeOf } from "./collections/mod.ts";
import {
  advance,
  declareFeed,
  evict,
  explain,
  peekCell,
  prepare,
  publish,
  pull,
  settleFeeds,
  tapCell,
  warm,
  watchCell,
} from "./compute/mod.ts";
import { Engine, type Table } from "./engine.ts";
import {
  audit,
  auditable,
  blast,
  causes,
  costs,
  describeFault,
  dump,
  faults,
  origins,
  resetStats,
  stats,
  why,
} from "./inspect/mod.ts";
import { type KeyCodec, text } from "../../kit/key/mod.ts";
import {
  announce,
  DerivedTable,
  type EntriesOf,
  indexRow,
  IndexTable,
  InputTable,
  ownTable,
  transact,
  valueOf,
} from "./tables/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";

type Equal = (a: unknown, b: unknown) => boolean;

/**
 * A new, empty graph.
 *
 * @example
 * ```ts
 * import { createGraph, text } from "./mod.ts";
 *
 * const graph = createGraph();
 * const names = graph.input<string>("names");
 * const greetings = graph.derive("greetings", text, (read, key) => `Hello ${read.get(names, key)}`);
 * graph.transaction((tx) => tx.set(names, "a", "Ada"));
 * const greeting: string = graph.peek(greetings, "a"); // "Hello Ada"
 * ```
 */
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
    transaction(change): number {
      const revision = transact(engine, change);
      for (const feed of engine.feeds) feed.rounds = 0;
      if (!engine.feedsAhead) settleFeeds(engine);
      return revision;
    },
    warm: (millis) => warm(engine, deadline(engine, millis)),
    prepare: (millis) => prepare(engine, deadline(engine, millis)),
    advance: (table, key, millis) =>
      advance(engine, ownTable(engine, table), key, deadline(engine, millis)),
    publish: () => publish(engine),
    evict: (keep, millis = Infinity) => evict(engine, keep, deadline(engine, millis)),
  };
}

/** Returns if a number of milliseconds has passed; always false without a clock. */
function deadline(engine: Engine, millis: number): () => boolean {
  const end = (engine.now?.() ?? 0) + millis;
  return () => engine.now !== undefined && engine.now() >= end;
}

/** Declaring tables. */
function tables(engine: Engine): Pick<Graph, "input" | "index" | "derive" | "feed"> {
  return {
    input<V, K>(name: string, options: Partial<InputOptions<V, K>> = {}): Input<V, K> {
      const equal = (options.equal ?? structuralEqual) as Equal;
      const codec = (options.key ?? text) as KeyCodec<unknown>;
      const table: Input<unknown, unknown> = new InputTable(engine, name, codec, equal);
      return declare(engine, table as InputTable) as Input<unknown, unknown> as Input<V, K>;
    },
    index<B, M>(
      table: Input<unknown, unknown>,
      name: string,
      codecs: IndexCodecs<B, M>,
      entriesOf: EntriesOf,
    ): Index<B, M> {
      if (!(table instanceof InputTable) || table.engine !== engine) throw foreign(table.name);
      const options = { name, over: table, codecs: codecs as IndexCodecs<unknown, unknown> };
      const index = declare(engine, new IndexTable(engine, { ...options, entriesOf }));
      fill(index, table);
      return index as Index<unknown, unknown> as Index<B, M>;
    },
    derive<V, K>(
      name: string,
      keyCodec: KeyCodec<K>,
      compute: (read: Read, key: K) => V,
      options: DeriveOptions<V> = {},
    ): Derived<V, K> {
      const table = new DerivedTable(engine, {
        name,
        keyCodec: keyCodec as KeyCodec<unknown>,
        compute: compute as (read: Read, key: unknown) => unknown,
        equal: (options.equal ?? structuralEqual) as Equal,
      });
      return declare(engine, table) as Derived<unknown, unknown> as Derived<V, K>;
    },
    feed<V, K, G>(target: Input<V, K>, options: FeedOptions<V, K, G>): void {
      engine.mustBeIdle(`Declaring the feed ${options.name}`);
      declareFeed(engine, target, options);
    },
  } as Pick<Graph, "input" | "index" | "derive" | "feed">;
}

/** Adds the rows that are there already. */
function fill(index: IndexTable, table: InputTable): void {
  for (const cell of table.rows.values()) {
    if (cell.value !== undefined) indexRow(index, cell.key, cell.value);
  }
  announce(index);
  index.engine.flush();
  table.indexes.push(index);
}

/** Reading derived values from outside: once, or at every publication. */
function values(engine: Engine): Pick<Graph, "peek" | "explain" | "watch" | "tap"> {
  return {
    peek<V, K>(table: Derived<V, K>, key: K): V {
      return valueOf(peekCell(engine, ownTable(engine, table), key)) as V;
    },
    explain: (cell, asked) => explain(engine, cell, asked),
    tap<V, K>(table: Derived<V, K>, key: K, stale: () => void): { read(): V; close(): void } {
      return tapCell(engine, ownTable(engine, table), key, stale) as { read(): V; close(): void };
    },
    watch<V, K>(
      table: Derived<V, K>,
      key: K,
      onChange: (value: V) => void,
    ): { readonly value: V; close(): void } {
      const derived = ownTable(engine, table);
      const changed = onChange as (value: unknown) => void;
      return watchCell(engine, derived, key, changed) as { readonly value: V; close(): void };
    },
  };
}

/** Making collections and views. */
function collections(engine: Engine): Pick<Graph, "collection" | "view"> {
  const store = engine.collections;
  return {
    collection(name: string, specOf: () => AnySpec): Collection {
      const known = store.byName.get(name);
      if (known !== undefined) return known;
      if (engine.tables.has(name)) throw taken(name);
      const spec = specOf();
      const recipe = recipeOf(engine, name, spec);
      const made = new LiveCollection(engine, store, { name, spec, recipe });
      store.byName.set(name, made);
      store.orphans.add(made);
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

type Questions = "why" | "origins" | "blast" | "cells" | "faults" | "stats" | "resetStats" | "dump";

/** Questions about the graph itself. */
function questions(engine: Engine): Pick<Graph, Questions> {
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

/** Questions about edits. */
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

function declare<T extends Table>(engine: Engine, table: T): T {
  const { name } = table;
  engine.mustBeIdle(`Declaring the table ${name}`);
  if (engine.tables.has(name) || engine.collections.byName.has(name)) throw taken(name);
  engine.tables.set(name, table);
  return table;
}

function taken(name: string): MeshError {
  return new MeshError("graph-name-taken", `The graph already has a table or collection ${name}.`, {
    remedy: "Tables, indexes and collections of one graph need different names.",
  });
}
