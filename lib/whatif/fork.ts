/**
 * A second graph with the rows of the living one, made as warm in small pieces.
 * Nothing in here writes to the living graph.
 *
 * @module
 */
import { MESH_ROW, type Tables } from "../derive/mod.ts";
import {
  type Collection,
  type CollectionSpec,
  createGraph,
  DependencyFault,
  type Derived,
  type Graph,
  type Input,
} from "../graph/mod.ts";
import type { Translation } from "../translate/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Pace } from "./pace.ts";

/** Makes translation in a graph, with the settings of the living one. */
export type MakeTranslation = (
  graph: Graph,
  rows: { readonly config: MeshConfig; readonly networks: MeshNetworks },
) => Translation;

/** A translation beside the living one. */
export interface Fork {
  readonly graph: Graph;
  readonly translation: Translation;
  /** Computes the members of a collection one after the other, so that building it is only putting them together. */
  warm(collection: Collection, pace: Pace): Promise<void>;
  /** Works ahead of the publication of a transaction. */
  settle(pace: Pace): Promise<void>;
}

/** Entries of the collections' logs: nothing that is rehearsed may be trimmed away. */
const LOG_LIMIT = 10_000_000;
/** Milliseconds of work ahead of a publication before there may be a pause. */
const AHEAD_MS = 5;

/**
 * Copies the rows as they are at this moment, then computes what the living graph
 * keeps computed, in its order.
 */
export async function fork(live: Translation, make: MakeTranslation, pace: Pace): Promise<Fork> {
  const { tables } = live.mesh;
  const rows = namesOf(tables).flatMap((table) => rowsOf(tables, table));
  const config = tables.mesh.peek(MESH_ROW);
  const networks = tables.networks.peek(MESH_ROW);
  if (config === undefined || networks === undefined) {
    throw new TypeError("the mesh configuration is not there");
  }
  const { graph, derived, specs } = recorder(
    createGraph({ logLimit: LOG_LIMIT, now: () => performance.now() }),
  );
  const translation = make(graph, { config, networks });
  await copyRows(translation, rows, pace);
  await computeAll(graph, derived, live.mesh.graph.cells(), pace);
  return {
    graph,
    translation,
    warm: async (collection, pace) => {
      const spec = specs.get(collection.name);
      if (spec !== undefined) await computeMembers(graph, spec, pace);
    },
    settle: async (pace) => {
      while (!graph.warm(AHEAD_MS)) await pace.pause();
      await pace.pause();
    },
  };
}

interface Row {
  readonly table: keyof Tables;
  readonly key: string;
  readonly row: unknown;
}

function namesOf(tables: Tables): (keyof Tables)[] {
  return Object.keys(tables) as (keyof Tables)[];
}

/** Rows are never changed, so that two graphs can have the same ones. */
function rowsOf(tables: Tables, name: keyof Tables): Row[] {
  const table = tables[name] as Input<unknown>;
  return table.keys().flatMap((key) => {
    const row = table.peek(key);
    return row === undefined ? [] : [{ table: name, key, row }];
  });
}

/** Rows a transaction: small enough to pause in between, large enough to be few. */
const ROWS = 32;

async function copyRows(
  { mesh }: Translation,
  rows: readonly Row[],
  pace: Pace,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS) {
    mesh.graph.transaction((tx) => {
      for (const { table, key, row } of rows.slice(from, from + ROWS)) {
        tx.set(mesh.tables[table] as Input<unknown>, key, row);
      }
    });
    await pace.pause();
  }
}

/** The graph, with notes of what is declared in it. */
function recorder(inner: Graph): {
  readonly graph: Graph;
  readonly derived: ReadonlyMap<string, Derived<unknown>>;
  readonly specs: ReadonlyMap<string, CollectionSpec>;
} {
  const derived = new Map<string, Derived<unknown>>();
  const specs = new Map<string, CollectionSpec>();
  const derive: Graph["derive"] = (name, compute, options) => {
    const table = inner.derive(name, compute, options);
    derived.set(name, table);
    return table;
  };
  const collection: Graph["collection"] = (name, spec) => {
    if (!specs.has(name)) specs.set(name, spec());
    return inner.collection(name, spec);
  };
  // Everything else, getters included, is the graph's own.
  const graph: Graph = Object.create(inner, {
    derive: { value: derive },
    collection: { value: collection },
  });
  return { graph, derived, specs };
}

async function computeAll(
  graph: Graph,
  derived: ReadonlyMap<string, Derived<unknown>>,
  cells: Iterable<readonly [table: string, key: string]>,
  pace: Pace,
): Promise<void> {
  for (const [name, key] of cells) {
    const table = derived.get(name);
    if (table !== undefined) compute(graph, table, key);
    await pace.pause();
  }
}

async function computeMembers(graph: Graph, spec: CollectionSpec, pace: Pace): Promise<void> {
  const { resources, keyOf = (member) => member } = spec;
  for (const member of membersOf(graph, spec)) {
    compute(graph, resources, keyOf(member));
    await pace.pause();
  }
}

function membersOf(graph: Graph, { members }: CollectionSpec): readonly string[] {
  if ("list" in members) return members.list;
  if ("listFrom" in members) return compute(graph, ...members.listFrom) ?? [];
  const buckets = "buckets" in members
    ? members.buckets
    : compute(graph, ...members.bucketsFrom) ?? [];
  return buckets.flatMap((bucket) => members.index.peek(bucket));
}

/** A cell's value; `undefined` when it fails, which its fault tells. */
function compute<V>(graph: Graph, table: Derived<V>, key: string): V | undefined {
  try {
    return graph.peek(table, key);
  } catch (error) {
    if (error instanceof DependencyFault) return undefined;
    throw error;
  }
}
