/**
 * What computing costs, and whose edits it was for.
 *
 * @module
 */
import type { CellCost, Costs, InputCost, TableCost } from "./api.ts";
import type { Cell } from "./cell.ts";
import type { Engine } from "./engine.ts";
import type { DerivedTable } from "./home.ts";

/** Cells listed of each table when the question does not say. */
const TOP = 10;

/** Cells keep tenths of microseconds, so that they are small integers. */
const TENTHS = 10;

interface Share {
  publications: number;
  micros: number;
  computed: number;
}

/** The accounts of one graph. */
export class Ledger {
  /** Microseconds computed in all, and computations. */
  micros = 0;
  computed = 0;
  /** As far as these are accounted for. */
  #micros = 0;
  #computed = 0;
  readonly unattributed: { micros: number; computed: number } = { micros: 0, computed: 0 };
  /** By table, then key. */
  readonly inputs: Map<string, Map<string, Share>> = new Map();
  #size = 0;

  constructor(readonly limit: number) {}

  /** Takes down one computation. */
  charge(cell: Cell, table: DerivedTable, micros: number): void {
    this.micros += micros;
    table.micros += micros;
    cell.spent += Math.round(micros * TENTHS);
  }

  /** Books what was computed since the last booking. On nobody when there are more rows than are kept. */
  book(rows: Iterable<Cell>, count: number): void {
    const micros = this.micros - this.#micros;
    const computed = this.computed - this.#computed;
    this.#micros = this.micros;
    this.#computed = this.computed;
    if (count === 0 || count > this.limit) {
      this.unattributed.micros += micros;
      this.unattributed.computed += computed;
      return;
    }
    for (const { home, key } of rows) {
      const share = this.#share(home.name, key);
      share.publications++;
      share.micros += micros / count;
      share.computed += computed / count;
    }
    if (this.#size > this.limit) this.#forgetCheapest();
  }

  reset(): void {
    this.micros =
      this.computed =
      this.#micros =
      this.#computed =
      this.#size =
        0;
    this.unattributed.micros = this.unattributed.computed = 0;
    this.inputs.clear();
  }

  /** All accounts of inputs, the dearest first. */
  list(): InputCost[] {
    const all: InputCost[] = [];
    for (const [table, keys] of this.inputs) {
      for (const [key, share] of keys) all.push({ table, key, ...share });
    }
    return all.sort((a, b) => b.micros - a.micros || b.computed - a.computed);
  }

  #share(table: string, key: string): Share {
    let keys = this.inputs.get(table);
    if (keys === undefined) this.inputs.set(table, keys = new Map());
    let share = keys.get(key);
    if (share === undefined) {
      keys.set(key, share = { publications: 0, micros: 0, computed: 0 });
      this.#size++;
    }
    return share;
  }

  /** Makes room for a quarter, so that sorting is rare. */
  #forgetCheapest(): void {
    const cheap = this.list().slice(Math.ceil(this.limit * 3 / 4));
    for (const { table, key } of cheap) this.inputs.get(table)!.delete(key);
    this.#size -= cheap.length;
  }
}

/** The ledger as it is asked for. */
export function costs(
  engine: Engine,
  { top = TOP, keys = [] }: { readonly top?: number; readonly keys?: readonly string[] },
): Costs {
  const tables: TableCost[] = [];
  for (const table of engine.tables.values()) {
    if (table.kind !== "derived") continue;
    tables.push({
      table: table.name,
      cells: table.cells.size,
      micros: table.micros,
      computed: table.computed,
      top: dearest(table, top),
    });
  }
  tables.sort((a, b) => b.micros - a.micros || b.computed - a.computed);
  const { ledger } = engine;
  return {
    tables,
    inputs: ledger.list(),
    keys: keys.map((key) => costOfKey(engine, key)),
    unattributed: { ...ledger.unattributed },
  };
}

/** The cells of one key, over all tables. */
function costOfKey(engine: Engine, key: string): CellCost {
  let [spent, computed] = [0, 0];
  for (const table of engine.tables.values()) {
    const cell = table.kind === "derived" ? table.cells.get(key) : undefined;
    spent += cell?.spent ?? 0;
    computed += cell?.runs ?? 0;
  }
  return { key, micros: spent / TENTHS, computed };
}

/** The cells of a table that cost most, without sorting all of them. */
function dearest(table: DerivedTable, top: number): CellCost[] {
  const best: Cell[] = [];
  for (const cell of table.cells.values()) {
    if (best.length === top && !dearer(cell, best[top - 1]!)) continue;
    let at = best.length;
    while (at > 0 && dearer(cell, best[at - 1]!)) at--;
    best.splice(at, 0, cell);
    if (best.length > top) best.pop();
  }
  return best.map(({ key, spent, runs }) => ({ key, micros: spent / TENTHS, computed: runs }));
}

function dearer(a: Cell, b: Cell): boolean {
  return a.spent !== b.spent ? a.spent > b.spent : a.runs > b.runs;
}
