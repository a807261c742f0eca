/**
 * Transactions: changes of rows, applied together.
 *
 * @module
 */
import type { Transaction } from "../api/rows.ts";
import type { Input } from "../api/tables.ts";
import { type Core, foreign, markReaders } from "../cells/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import { announce, indexRow, IndexTable } from "./index.ts";
import { InputTable } from "./input.ts";

type Edits = Map<InputTable, Map<string, unknown>>;

/** Collects changes; the last write to a row wins. */
class OpenTransaction implements Transaction {
  readonly edits: Edits = new Map();
  open = true;
  readonly #engine: Core;

  constructor(engine: Core) {
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
        `The row ${table.name}/${text} was written after its transaction ended.`,
        { remedy: "Write before the function returns; a transaction cannot wait for anything." },
      );
    }
    if (!(table instanceof InputTable) || table.engine !== this.#engine) throw foreign(table.name);
    let rows = this.edits.get(table);
    if (rows === undefined) this.edits.set(table, rows = new Map());
    rows.set(text, row);
  }
}

/**
 * Runs `change` and applies its writes, all at once; when it throws, none is
 * applied. Rows equal to the present ones are not written.
 */
export function transact(engine: Core, change: (tx: Transaction) => void): number {
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

function apply(engine: Core, edits: Edits): void {
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
  for (const table of edits.keys()) for (const index of table.indexes) announce(index);
  dropEmpty(engine);
}

/** The next revision; the first one after a publication begins a window of changes. */
function begin(engine: Core): void {
  if (!engine.changes.open) {
    engine.ledger.attribute([], 0);
    engine.changes.begin(engine.published);
  }
  engine.postponed.clear();
  engine.parts.clear();
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

function write(engine: Core, table: InputTable, key: string, row: unknown): void {
  const cell = table.cell(key);
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
  engine.changes.edited(cell, edit);
  for (const index of table.indexes) indexRow(index, key, row);
  markReaders(cell);
  table.dropIfEmpty(cell);
}

/** Removes absent rows and empty buckets that nothing reads any more. No computation may be running. */
export function dropEmpty(engine: Core): void {
  if (engine.empty.size === 0) return;
  for (const cell of engine.empty) {
    const { home } = cell;
    if (home instanceof InputTable) home.dropIfEmpty(cell);
    else if (home instanceof IndexTable) home.dropIfUnread(cell.key);
  }
  engine.empty.clear();
}
