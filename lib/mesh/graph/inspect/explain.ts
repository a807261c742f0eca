/**
 * Dependencies: the cells and rows below a cell, and everything above one.
 *
 * @module
 */
import type { Dependency, Fault } from "../api/answers.ts";
import { Cell, nameOf, pushReaders, VALUE } from "../cells/mod.ts";
import { LiveCollection, MemberHome } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import { Feed, IndexTable, InputTable, isFedRow } from "../tables/mod.ts";

/** Direct dependencies, in the order they were read. For a bucket: the rows that put members there. */
export function why(engine: Engine, table: string, key: string): readonly Dependency[] {
  const seen = new Set<Cell>();
  for (const cell of cellsOf(engine, table, key)) below(cell, seen);
  return [...seen].map(dependency);
}

/** Input rows below a cell, through any number of cells, as `table/key`, sorted. */
export function origins(engine: Engine, table: string, key: string): readonly string[] {
  return rowsOf(reach(cellsOf(engine, table, key), below));
}

/** Cells and collections above a cell or row, through any number of cells. */
export function blast(engine: Engine, table: string, key: string): readonly Dependency[] {
  const roots = cellsOf(engine, table, key);
  const reached = reach(roots, above);
  for (const root of roots) reached.delete(root);
  const found = new Map<string, Dependency>();
  for (const cell of reached) {
    if (cell.home.kind === "watch" || cell.home.kind === "feed") continue;
    const entry = dependency(cell);
    found.set(`${entry.kind}\0${entry.table}\0${entry.key}`, entry);
  }
  return [...found.values()];
}

/**
 * Cells followed to find the inputs of a fault. There are thousands of faults when
 * a row that everything reads fails; `origins` finds all inputs of one.
 */
const FOLLOWED = 1000;

/**
 * The description of a faulted cell. Its inputs do not include the rows behind
 * buckets: a bucket is a list of members, and does not fail.
 */
export function describeFault(cell: Cell): Fault | undefined {
  if (cell.fault === undefined) return undefined;
  const { error, since } = cell.fault;
  const inputs = rowsOf(reach([cell], belowByReading, FOLLOWED));
  const lastGood = (cell.flags & VALUE) !== 0;
  return { table: cell.home.name, key: cell.key, error, since, lastGood, inputs };
}

/** A cell as it is shown. A member of a collection is `collection/member`; the collection itself has no key. */
export function dependency(cell: Cell): Dependency {
  const { kind } = cell.home;
  return {
    table: cell.home.name,
    key: cell.key,
    kind: kind === "input" || kind === "derived"
      ? kind
      : kind === "index"
      ? "bucket"
      : "collection",
    changedAt: cell.home instanceof MemberHome ? cell.deps[0]!.changedAt : cell.changedAt,
  };
}

/** The cells of a name; none when nothing of it is kept. A bucket may have two. */
function cellsOf(engine: Engine, table: string, key: string): Cell[] {
  const home = engine.tables.get(table) ?? engine.collections.byName.get(table);
  switch (home?.kind) {
    case "input":
      return present(home.rows.get(key));
    case "derived":
      return present(home.cells.get(key));
    case "index":
      return bucketCells(home, key);
    case "collection":
      return present(key === "" ? home.cell : home.members.get(key));
    default:
      return [];
  }
}

function present(cell: Cell | undefined): Cell[] {
  return cell === undefined ? [] : [cell];
}

/** The cells of a bucket; a temporary cell when nothing reads it. */
function bucketCells(index: IndexTable, key: string): Cell[] {
  const bucket = index.buckets.get(key);
  if (bucket === undefined) return [];
  const cells = [...present(bucket.cell), ...present(bucket.any)];
  return cells.length > 0 ? cells : [new Cell(index, key, VALUE)];
}

type Step = (cell: Cell, into: Set<Cell>) => void;

function reach(roots: readonly Cell[], step: Step, limit = Infinity): Set<Cell> {
  // A set is iterated in the order of insertion, including cells that are added meanwhile.
  const reached = new Set(roots);
  for (const cell of reached) {
    step(cell, reached);
    if (reached.size >= limit) break;
  }
  return reached;
}

function belowByReading(cell: Cell, into: Set<Cell>): void {
  for (const dep of cell.deps) into.add(dep);
  const { home } = cell;
  if (!(home instanceof LiveCollection)) return;
  for (const member of home.members.values()) into.add(member);
}

function below(cell: Cell, into: Set<Cell>): void {
  belowByReading(cell, into);
  const { home } = cell;
  if (home instanceof IndexTable) {
    for (const row of rowsWithEntry(home, cell.key)) into.add(row);
  } else if (home instanceof LiveCollection && home.recipe.index !== undefined) {
    for (const source of home.sources) {
      for (const bucket of bucketCells(home.recipe.index, source)) into.add(bucket);
    }
  }
}

function above(cell: Cell, into: Set<Cell>): void {
  const readers: Cell[] = [];
  pushReaders(readers, cell);
  for (const reader of readers) into.add(reader);
  const { home } = cell;
  if (home instanceof MemberHome) into.add(home.collection.cell);
  else if (home instanceof Feed) { for (const row of home.rowsOf(cell)) into.add(row); }
  else if (home instanceof InputTable) bucketsOfRow(home.indexes, cell.key, into);
  else if (home instanceof IndexTable) {
    for (const watcher of home.buckets.get(cell.key)?.watchers ?? []) into.add(watcher.cell);
  }
}

function bucketsOfRow(indexes: readonly IndexTable[], key: string, into: Set<Cell>): void {
  for (const index of indexes) {
    const entries = index.entries.get(key) ?? [];
    const buckets = new Set(entries.filter((_, i) => i % 2 === 0));
    for (const bucket of buckets) for (const cell of bucketCells(index, bucket)) into.add(cell);
  }
}

/** The rows with an entry in a bucket. Searches all entries: for debug pages, not for the engine. */
function rowsWithEntry(index: IndexTable, bucket: string): Cell[] {
  const rows: Cell[] = [];
  for (const [key, entries] of index.entries) {
    for (let i = 0; i < entries.length; i += 2) {
      if (entries[i] !== bucket) continue;
      rows.push(...present(index.over.rows.get(key)));
      break;
    }
  }
  return rows;
}

function rowsOf(cells: Iterable<Cell>): readonly string[] {
  const rows: string[] = [];
  for (const cell of cells) {
    if (cell.home instanceof InputTable && !isFedRow(cell)) rows.push(nameOf(cell));
  }
  return rows.sort();
}
