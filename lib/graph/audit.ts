/**
 * The law, checked on the running graph, one cell at a time: what is kept is
 * computed again and compared; what differs can be put right.
 *
 * @module
 */
import type { AuditOptions, AuditResult, CellRef, Resource } from "./api.ts";
import { type Cell, COMPUTED, STALE, VALUE } from "./cell.ts";
import { sameResource } from "./claims.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { sameBytes, structuralEqual } from "./equal.ts";
import { type Bounds, Evaluation } from "./fresh.ts";
import type { DerivedTable } from "./home.ts";
import { markCell, markReaders } from "./mark.ts";
import { unbuild } from "./settle.ts";

/** Computations one audit may take when the options do not say. */
const COMPUTATIONS = 200;

/** Everything that can be audited: derived cells, and collections under the empty key. */
export function* auditable(engine: Engine): IterableIterator<CellRef> {
  for (const table of engine.tables.values()) {
    if (table.kind !== "derived") continue;
    for (const key of table.cells.keys()) yield { table: table.name, key };
  }
  for (const name of engine.collections.keys()) yield { table: name, key: "" };
}

/**
 * Computes a cell or a collection anew and compares. From the rows if that is not
 * too much, else from the neighbours as they stand, which are audited in their turn:
 * where every cell follows from its neighbours, all follow from the rows.
 */
export function audit(
  engine: Engine,
  table: string,
  key: string,
  options: AuditOptions,
): AuditResult {
  engine.mustBeIdle("An audit");
  const standing = standingCell(engine, table, key);
  if (standing === undefined || (standing.flags & STALE) !== 0) {
    const reason = "out of date";
    return { table, key, outcome: "skipped", reason, from: "rows", computed: 0, wrong: [] };
  }
  const evaluation = evaluate(engine, standing, options);
  const { obstacle, computed } = evaluation;
  const from = evaluation.bounds.from;
  if (obstacle !== undefined) {
    return { table, key, outcome: "skipped", reason: obstacle, from, computed, wrong: [] };
  }
  const wrong = differing(evaluation, standing);
  if (options.repair && wrong.length > 0) repair(engine, wrong);
  const outcome = wrong.length === 0 ? "right" : options.repair ? "repaired" : "wrong";
  return { table, key, outcome, from, computed, wrong: wrong.map(refOf) };
}

function standingCell(engine: Engine, table: string, key: string): Cell | undefined {
  const home = engine.tables.get(table);
  if (home?.kind === "derived") return home.cells.get(key);
  return key === "" ? engine.collections.get(table)?.cell : undefined;
}

function evaluate(engine: Engine, standing: Cell, options: AuditOptions): Evaluation {
  const start = engine.now?.() ?? 0;
  const { computations = COMPUTATIONS, millis = Infinity } = options;
  const late = () => engine.now !== undefined && engine.now() - start > millis;
  const full = run(engine, standing, { computations, late, from: "rows" });
  if (full.obstacle !== "too large") return full;
  return run(engine, standing, { computations: 1, late: () => false, from: "neighbours" });
}

function run(engine: Engine, { home, key }: Cell, bounds: Bounds): Evaluation {
  const evaluation = new Evaluation(engine, bounds);
  try {
    if (home.kind === "derived") evaluation.cell(home, key);
    else evaluation.content(home as LiveCollection);
  } catch (error) {
    // What was given up says so itself; anything else is a failure of the engine.
    if (evaluation.obstacle === undefined) throw error;
  }
  return evaluation;
}

/** The cells that an evaluation has come by and that are not what it found, the deepest first. */
function differing(evaluation: Evaluation, standing: Cell): Cell[] {
  const wrong: Cell[] = [];
  for (const [table, found] of evaluation.values) {
    for (const [key, fresh] of found) {
      const cell = table.cells.get(key);
      // What is out of date claims nothing.
      if (cell === undefined || fresh === undefined || (cell.flags & STALE) !== 0) continue;
      if (!stands(table, cell, fresh.value)) wrong.push(cell);
    }
  }
  const { home } = standing;
  if (home.kind === "collection" && !sameContent(home.claims.content, evaluation.content(home))) {
    wrong.push(standing);
  }
  return wrong;
}

/** Whether a cell holds a value, by the table's equality and, for resources, byte by byte. */
function stands(table: DerivedTable, cell: Cell, fresh: unknown): boolean {
  if (cell.fault !== undefined || (cell.flags & VALUE) === 0) return false;
  try {
    if (!table.equal(cell.value, fresh)) return false;
  } catch {
    return structuralEqual(cell.value, fresh);
  }
  return sameResourceBytes(cell.value, fresh);
}

function sameResourceBytes(a: unknown, b: unknown): boolean {
  if (a === b || !Array.isArray(a) || !Array.isArray(b)) return true;
  return a.every((one: Partial<Resource> | undefined, i) => {
    const other = b[i] as Partial<Resource> | undefined;
    if (!(one?.bytes instanceof Uint8Array) || !(other?.bytes instanceof Uint8Array)) return true;
    return sameBytes(one.bytes, other.bytes);
  });
}

function sameContent(
  a: ReadonlyMap<string, Resource>,
  b: ReadonlyMap<string, Resource>,
): boolean {
  if (a.size !== b.size) return false;
  for (const [name, resource] of a) {
    if (!sameResource(resource, b.get(name)) || resource.name !== name) return false;
  }
  return true;
}

/**
 * Has wrong cells computed anew from what they read, with the next revision. A
 * value that is wrong is not a last good one: it goes.
 */
function repair(engine: Engine, wrong: readonly Cell[]): void {
  engine.revision++;
  for (const cell of wrong) {
    if (cell.home.kind !== "derived") continue;
    markCell(engine, cell);
    cell.flags &= ~(COMPUTED | VALUE);
  }
  for (const { home } of wrong) if (home.kind === "collection") rebuild(engine, home);
  engine.flush();
}

/** Builds a collection anew. Its log begins anew too, so that whoever follows it compares in full. */
function rebuild(engine: Engine, collection: LiveCollection): void {
  markReaders(engine, collection.cell);
  unbuild(engine, collection);
  engine.pull(collection.cell);
  engine.changed.add(collection);
}

function refOf({ home, key }: Cell): CellRef {
  return { table: home.name, key };
}
