/**
 * Transactions: changes of rows, applied together.
 *
 * @module
 */
import type { Transaction } from "../api/rows.ts";
import type { Input } from "../api/tables.ts";
import { type Cell, type Core, foreign, markReaders } from "../cells/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import { announce, indexRow, IndexTable } from "./index.ts";
import { InputTable, isFedRow } from "./input.ts";

const NO_CELLS: readonly Cell[] = Object.freeze([]);

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
      if (!began) beginRevision(engine);
      began = true;
      write(engine, table, key, row);
    }
  }
  if (!began) return;
  for (const table of edits.keys()) for (const index of table.indexes) announce(index);
  dropEmpty(engine);
}

/** The next revision; the first one after a publication begins a window of changes. */
export function beginRevision(engine: Core): void {
  if (!engine.changes.open) {
    engine.ledger.attribute([], 0);
    engine.changes.begin(engine.published);
  }
  engine.postponed.clear();
  engine.parts.clear();
  engine.revision++;
}

/** Reports if a row from outside differs from the present one. A fed row is none from outside. */
function differs(table: InputTable, key: string, row: unknown): boolean {
  const cell = table.rows.get(key);
  const old = cell === undefined || isFedRow(cell) ? undefined : cell.value;
  return rowsDiffer(table, old, row);
}

/** Compares two rows. Those that the table's function cannot compare differ. */
export function rowsDiffer(table: InputTable, old: unknown, row: unknown): boolean {
  if (old === undefined || row === undefined) return old !== row;
  try {
    return !table.equal(old, row);
  } catch {
    return true;
  }
}

/** Writes a row from outside. Without one, the row that a feed offers takes its place. */
function write(engine: Core, table: InputTable, key: string, row: unknown): void {
  const cell = table.cell(key);
  const kind = row === undefined ? "delete" : "set";
  const edit = { revision: engine.revision, table: table.name, key, kind } as const;
  engine.edits.append(edit);
  engine.changes.edited(cell, edit);
  const offer = row === undefined ? table.offers.get(key)?.[0] : undefined;
  putRow(table, cell, offer?.row ?? row, offer?.group.deps ?? NO_CELLS);
}

/** Puts a value into a row, and tells indexes and readers. `deps`: the cell that computed it, of a fed row. */
export function putRow(
  table: InputTable,
  cell: Cell,
  row: unknown,
  deps: readonly Cell[],
): void {
  const present = row === undefined ? 0 : 1;
  const was = cell.value === undefined ? 0 : 1;
  if (present !== was) {
    table.count += present - was;
    table.sortedKeys = undefined;
  }
  cell.value = row;
  cell.deps = deps;
  cell.changedAt = table.engine.revision;
  for (const index of table.indexes) indexRow(index, cell.key, row);
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
