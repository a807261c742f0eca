/**
 * Answers from the cost ledger.
 *
 * @module
 */
import type { CellCost, Costs, TableCost } from "../api/answers.ts";
import { type Cell, TENTHS } from "../cells/mod.ts";
import type { Engine } from "../engine.ts";
import type { DerivedTable } from "../tables/mod.ts";

/** Cells listed of each table when the question does not say. */
const TOP = 10;

/** The costs of tables, cells and input rows; see `Graph.costs`. */
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
      top: mostExpensive(table, top),
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
function mostExpensive(table: DerivedTable, top: number): CellCost[] {
  const best: Cell[] = [];
  for (const cell of table.cells.values()) {
    if (best.length === top && !costsMore(cell, best[top - 1]!)) continue;
    let at = best.length;
    while (at > 0 && costsMore(cell, best[at - 1]!)) at--;
    best.splice(at, 0, cell);
    if (best.length > top) best.pop();
  }
  return best.map(({ key, spent, runs }) => ({ key, micros: spent / TENTHS, computed: runs }));
}

function costsMore(a: Cell, b: Cell): boolean {
  return a.spent !== b.spent ? a.spent > b.spent : a.runs > b.runs;
}
