/**
 * Input tables, and the transactions that write them.
 *
 * @module
 */
import type { Input, Transaction } from "./api.ts";
import { announce, dropIfHusk, type IndexTable, placeRow } from "./buckets.ts";
import { Cell, isRead, VALUE } from "./cell.ts";
import type { Engine } from "./engine.ts";
import { markReaders } from "./mark.ts";
import { foreign } from "./fault.ts";
import type { KeyCodec } from "./key/mod.ts";
import { MeshError } from "../base/mod.ts";

/** A table of rows. An absent row has a cell only while someone reads its absence. */
export class InputTable implements Input<unknown, unknown> {
  readonly kind = "input";
  readonly rows: Map<string, Cell> = new Map();
  readonly indexes: IndexTable[] = [];
  /** Rows present. */
  count = 0;
  /** Keys of the rows present, sorted; made when asked for. */
  sortedKeys: readonly unknown[] | undefined = undefined;

  constructor(
    readonly engine: Engine,
    readonly name: string,
    readonly keyCodec: KeyCodec<unknown>,
    readonly equal: (a: unknown, b: unknown) => boolean,
  ) {}

  peek(key: unknown): unknown {
    this.engine.untracked("table", this.name);
    return this.rows.get(this.keyCodec.encode(key))?.value;
  }

  keys(): readonly unknown[] {
    this.engine.untracked("table", this.name);
    if (this.sortedKeys === undefined) {
      const keys: string[] = [];
      for (const cell of this.rows.values()) if (cell.value !== undefined) keys.push(cell.key);
      this.sortedKeys = Object.freeze(keys.sort().map((key) => this.keyCodec.decode(key)));
    }
    return this.sortedKeys;
  }

  get size(): number {
    this.engine.untracked("table", this.name);
    return this.count;
  }
}

/** The cell of a row, made for an absent one when it is first asked for. */
export function rowCell(table: InputTable, key: string): Cell {
  let cell = table.rows.get(key);
  if (cell === undefined) table.rows.set(key, cell = new Cell(table, key, VALUE));
  return cell;
}

type Edits = Map<InputTable, Map<string, unknown>>;

/** Collects changes; the later write to a row wins. */
class OpenTransaction implements Transaction {
  readonly edits: Edits = new Map();
  open = true;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  set<V, K>(table: Input<V, K>, key: K, row: V): void {
    this.#edit(table, key, row);
  }

  delete<V, K>(table: Input<V, K>, key: K): void {
    this.#edit(table, key, undefined);
  }

  #edit<K>(table: Input<unknown, K>, key: K, row: unknown): void {
    const text = table.keyCodec.encode(key);
    if (!this.open) {
      throw new MeshError(
        "graph-late-write",
        `The transaction that ${table.name}/${text} was to be written in is over.`,
        {
          remedy: "Write before the function returns; it can not wait for anything.",
        },
      );
    }
    if (!(table instanceof InputTable) || table.engine !== this.#engine) throw foreign(table.name);
    let rows = this.edits.get(table);
    if (rows === undefined) this.edits.set(table, rows = new Map());
    rows.set(text, row);
  }
}

/**
 * Runs `change` and applies what it wrote, all at once; when it throws, nothing
 * has happened. Rows equal to the present ones are not written.
 */
export function transact(engine: Engine, change: (tx: Transaction) => void): number {
  engine.mustBeIdle("A transaction");
  const tx = new OpenTransaction(engine);
  try {
    engine.activity = "transaction";
    change(tx);
    tx.open = false;
    engine.activity = "writing";
    apply(engine, tx.edits);
  } finally {
    tx.open = false;
    engine.activity = "idle";
  }
  engine.flush();
  return engine.revision;
}

function apply(engine: Engine, edits: Edits): void {
  let began = false;
  for (const [table, rows] of edits) {
    for (const [key, row] of rows) {
      if (!differs(table, key, row)) continue;
      if (!began) begin(engine);
      began = true;
      write(engine, table, key, row);
    }
  }
  if (!began) return;
  announce(engine);
  sweep(engine);
}

/** The next revision; the first after a publication begins a round of edits. */
function begin(engine: Engine): void {
  if (!engine.round.open) {
    engine.ledger.book([], 0);
    engine.round.begin(engine.published);
  }
  engine.postponed.clear();
  engine.revision++;
}

function differs(table: InputTable, key: string, row: unknown): boolean {
  const old = table.rows.get(key)?.value;
  if (old === undefined || row === undefined) return old !== row;
  try {
    return !table.equal(old, row);
  } catch {
    return true;
  }
}

function write(engine: Engine, table: InputTable, key: string, row: unknown): void {
  const cell = rowCell(table, key);
  const present = row === undefined ? 0 : 1;
  const was = cell.value === undefined ? 0 : 1;
  if (present !== was) {
    table.count += present - was;
    table.sortedKeys = undefined;
  }
  cell.value = row;
  cell.changedAt = engine.revision;
  const kind = present === 0 ? "delete" : "set";
  const edit = { revision: engine.revision, table: table.name, key, kind } as const;
  engine.edits.append(edit);
  engine.round.edit(cell, edit);
  for (const index of table.indexes) placeRow(index, key, row);
  markReaders(engine, cell);
  if (present === 0 && !isRead(cell)) table.rows.delete(key);
}

/** Forgets absent rows and empty buckets that nobody reads any more. No computation may be running. */
export function sweep(engine: Engine): void {
  if (engine.husks.size === 0) return;
  for (const cell of engine.husks) {
    if (isRead(cell)) continue;
    const home = cell.home;
    if (home.kind === "input") {
      if (cell.value === undefined && home.rows.get(cell.key) === cell) home.rows.delete(cell.key);
    } else if (home.kind === "index") {
      const bucket = home.buckets.get(cell.key);
      if (bucket !== undefined) dropIfHusk(bucket);
    }
  }
  engine.husks.clear();
}
