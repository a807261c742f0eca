/**
 * Writes changes to the input tables, in transactions of the graph. The only code that does so, but
 * for the replay of recordings.
 *
 * @module
 */
import { type AskedName, type Mesh, MESH_ROW, tableOf } from "../derive/mod.ts";
import type { Input, Transaction } from "../graph/mod.ts";
import { type ConfigObject, objectKeys } from "../model/mod.ts";
import { TABLE_KINDS, TABLED_KINDS, type TableKind } from "../schema/mod.ts";
import { isGatewayGroup } from "../gateway_api/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { ChangeSet, ObjectChange } from "./changes.ts";
import { createExportDefaults } from "./export_defaults.ts";
import { createSelection, type Selection } from "./selection.ts";
import { standsAlone } from "./stands_alone.ts";

/** Most rows of one transaction, when changes are written in pieces: a few milliseconds of small rows. */
const PIECE_ROWS = 200;

/** Writes to the tables of one mesh. */
export interface TableWriter {
  /** Writes changes in one transaction; returns the revision. */
  write(changes: ChangeSet): number;
  /**
   * Writes changes in several transactions, one for each step of the iteration. Until the last step
   * the tables have some of the changes and not others.
   *
   * @param begin begins a step; the returned function tells whether its time is up, and is asked after
   * each object
   */
  writeInPieces(changes: ChangeSet, begin?: () => () => boolean): Generator<void, void>;
  /** Writes virtual hosts that proxies asked for, and deletes those that are forgotten. */
  writeAsked(asked: readonly AskedName[], forgotten: readonly AskedName[]): number;
  /** An object as a source reported it; its row may have defaults of the mesh filled in. */
  original(kind: TableKind, key: string): ConfigObject | undefined;
  /** Everything as it was reported. Written to another mesh, it makes that one equal. */
  all(): Required<ChangeSet>;
  /** Reports if a change can be published without others; see `standsAlone`. */
  standsAlone(change: ObjectChange, before: ConfigObject | undefined): boolean;
  /** True for a namespace that `discoverySelectors` of the mesh configuration select. */
  selects(namespace: string): boolean;
}

const UNTIMED = (): boolean => false;

/** Settings of a writer. */
export interface WriterOptions {
  /** False: `discoverySelectors` are ignored. */
  readonly scoping: boolean;
  /** False: objects of the Gateway API are dropped; default: true. */
  readonly gatewayApi?: boolean;
}

/** Creates the writer of a mesh. Its first changes must have a mesh configuration and networks. */
export function createTableWriter(mesh: Mesh, options: WriterOptions): TableWriter {
  return new Writer(mesh, options);
}

class Writer implements TableWriter {
  readonly #mesh: Mesh;
  readonly #exports = createExportDefaults();
  readonly #selection: Selection;
  readonly #gatewayApi: boolean;

  constructor(mesh: Mesh, { scoping, gatewayApi = true }: WriterOptions) {
    this.#mesh = mesh;
    this.#gatewayApi = gatewayApi;
    this.#selection = createSelection({
      tables: mesh.tables,
      scoping,
      original: (kind, key) => this.#exports.original(kind, key),
    });
  }

  write(changes: ChangeSet): number {
    const { mesh: config, objects = [] } = changes;
    const rows = this.#rowsChangedBy(config);
    return this.#mesh.graph.transaction((tx) => {
      if (config !== undefined) tx.set(this.#mesh.tables.mesh, MESH_ROW, config);
      for (const row of rows) this.#put(tx, row);
      this.#putSettings(tx, changes);
      this.#putObjects(tx, objects);
    });
  }

  *writeInPieces(
    changes: ChangeSet,
    begin: () => () => boolean = () => UNTIMED,
  ): Generator<void, void> {
    const { graph, tables } = this.#mesh;
    const { mesh: config, objects = [] } = changes;
    const rows = this.#rowsChangedBy(config);
    graph.transaction((tx) => {
      if (config !== undefined) tx.set(tables.mesh, MESH_ROW, config);
      for (const row of rows.slice(0, PIECE_ROWS)) this.#put(tx, row);
      this.#putSettings(tx, changes);
    });
    for (const piece of pieces(rows.slice(PIECE_ROWS))) {
      yield;
      graph.transaction((tx) => {
        for (const row of piece) this.#put(tx, row);
      });
    }
    if (rows.length > 0) yield;
    for (let at = 0; at < objects.length;) {
      if (at > 0) yield;
      const isLate = begin();
      const piece = objects.slice(at, at + PIECE_ROWS);
      graph.transaction((tx) => at += this.#putObjects(tx, piece, isLate));
    }
  }

  writeAsked(asked: readonly AskedName[], forgotten: readonly AskedName[]): number {
    const { graph, asked: { rows } } = this.#mesh;
    return graph.transaction((tx) => {
      for (const key of asked) tx.set(rows, key, true);
      for (const key of forgotten) tx.delete(rows, key);
    });
  }

  original(kind: TableKind, key: string): ConfigObject | undefined {
    return this.#exports.original(kind, key) ?? tableOf(this.#mesh.tables, kind).peek(key);
  }

  all(): Required<ChangeSet> {
    const { tables, credentials } = this.#mesh;
    const objects = namespacesFirst().flatMap((kind) => this.#objectsOf(kind));
    return {
      mesh: required(tables.mesh.peek(MESH_ROW)),
      networks: required(tables.networks.peek(MESH_ROW)),
      keySets: rowsOf(tables.keySets),
      gatewayNames: rowsOf(tables.gatewayNames),
      authorityRoots: tables.authorityRoots.peek(MESH_ROW) ?? [],
      credentials: rowsOf(credentials),
      objects: [...objects, ...this.#selection.excluded()],
    };
  }

  standsAlone(change: ObjectChange, before: ConfigObject | undefined): boolean {
    return standsAlone(this.#mesh, change, before);
  }

  selects(namespace: string): boolean {
    return this.#selection.selects(namespace);
  }

  #objectsOf(kind: TableKind): ObjectChange[] {
    const table = tableOf(this.#mesh.tables, kind);
    return table.keys().filter((key) => !table.isFed(key))
      .map((key) => ({ kind, key, object: this.original(kind, key) }));
  }

  /** Rows that a mesh configuration changes: exported differently, added, deleted. */
  #rowsChangedBy(config: MeshConfig | undefined): readonly ObjectChange[] {
    if (config === undefined) return [];
    const exported = this.#exports.adopt(config)
      .map(({ kind, key }) => ({ kind, key, object: this.original(kind, key) }));
    return [...exported, ...this.#selection.adopt(config)];
  }

  #put(tx: Transaction, change: ObjectChange): void {
    const table = tableOf(this.#mesh.tables, change.kind);
    const row = this.#exports.settle(change);
    if (row === undefined) tx.delete(table, change.key);
    else tx.set(table, change.key, row);
  }

  #putSettings(tx: Transaction, changes: ChangeSet): void {
    const { networks, keySets, gatewayNames, authorityRoots, credentials } = changes;
    const { tables, credentials: table } = this.#mesh;
    if (networks !== undefined) tx.set(tables.networks, MESH_ROW, networks);
    if (authorityRoots !== undefined) tx.set(tables.authorityRoots, MESH_ROW, authorityRoots);
    for (const [uri, keys] of keySets ?? []) tx.set(tables.keySets, uri, keys);
    for (const [name, addresses] of gatewayNames ?? []) {
      tx.set(tables.gatewayNames, name, addresses);
    }
    for (const [key, credential] of credentials ?? []) {
      if (credential === undefined) tx.delete(table, key);
      else tx.set(table, key, credential);
    }
  }

  /** Writes objects until time is up, at least one; returns their number. */
  #putObjects(tx: Transaction, objects: readonly ObjectChange[], isLate = UNTIMED): number {
    const selection = this.#selection;
    // Namespaces first: their labels decide which other objects are written.
    for (const { kind, key, object } of objects) {
      if (kind !== "Namespace") continue;
      for (const row of selection.label(objectKeys.decode(key).name, object?.meta.labels)) {
        this.#put(tx, row);
      }
    }
    let count = 0;
    for (const change of objects) {
      const isUsed = this.#gatewayApi || !isGatewayGroup(TABLED_KINDS[change.kind].group);
      const admitted = isUsed && selection.admits(change);
      this.#put(tx, admitted ? change : { ...change, object: undefined });
      count++;
      if (isLate()) break;
    }
    return count;
  }
}

function* pieces<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += PIECE_ROWS) yield items.slice(at, at + PIECE_ROWS);
}

/** The kinds in the order of a first transaction: labels of namespaces decide what is written. */
function namespacesFirst(): TableKind[] {
  return TABLE_KINDS.toSorted((a, b) => Number(b === "Namespace") - Number(a === "Namespace"));
}

/** Rows of a table, by their keys. */
function rowsOf<V>(table: Input<V>): Map<string, V> {
  const rows = new Map<string, V>();
  for (const key of table.keys()) {
    const row = table.peek(key);
    if (row !== undefined) rows.set(key, row);
  }
  return rows;
}

function required<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("the tables have no mesh configuration yet");
  return row;
}
