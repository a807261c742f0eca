/**
 * Audits: a cell of the running graph is computed again and compared; one that
 * differs can be repaired.
 *
 * @module
 */
import type { AuditOptions, AuditResult } from "../api/answers.ts";
import type { CellRef, Resource } from "../api/collections.ts";
import {
  type Cell,
  COMPUTED,
  markCell,
  markReaders,
  sameBytes,
  STALE,
  structuralEqual,
  VALUE,
} from "../cells/mod.ts";
import { LiveCollection, sameResource, unbuild } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import { DerivedTable } from "../tables/mod.ts";
import { type Bounds, Evaluation } from "./fresh.ts";

/** Computations one audit may take when the options do not say. */
const COMPUTATIONS = 200;
/** Milliseconds after which one computation alone is too large, if it has parts. */
const ALONE_MS = 30;

/** Everything that can be audited: derived cells, and collections under the empty key. */
export function* auditable(engine: Engine): IterableIterator<CellRef> {
  for (const table of engine.tables.values()) {
    if (table.kind !== "derived") continue;
    for (const key of table.cells.keys()) yield { table: table.name, key };
  }
  for (const name of engine.collections.byName.keys()) yield { table: name, key: "" };
}

/**
 * Computes a cell or a collection again and compares. From the rows if that takes
 * few enough computations, else from its dependencies as they are, which have
 * audits of their own: if every cell follows from its dependencies, all follow
 * from the rows.
 */
export function audit(
  engine: Engine,
  table: string,
  key: string,
  options: AuditOptions,
): AuditResult {
  engine.mustBeIdle("An audit");
  const kept = keptCell(engine, table, key);
  if (kept === undefined || (kept.flags & STALE) !== 0) {
    const reason = "out of date";
    return { table, key, outcome: "skipped", reason, from: "rows", computed: 0, wrong: [] };
  }
  const evaluation = evaluate(engine, kept, options);
  const { obstacle, computed } = evaluation;
  const from = evaluation.bounds.from;
  if (obstacle !== undefined) {
    return { table, key, outcome: "skipped", reason: obstacle, from, computed, wrong: [] };
  }
  const wrong = differing(evaluation, kept);
  if (options.repair && wrong.length > 0) repair(engine, wrong);
  const outcome = wrong.length === 0 ? "right" : options.repair ? "repaired" : "wrong";
  return { table, key, outcome, from, computed, wrong: wrong.map(refOf) };
}

function keptCell(engine: Engine, table: string, key: string): Cell | undefined {
  const home = engine.tables.get(table);
  if (home?.kind === "derived") return home.cells.get(key);
  return key === "" ? engine.collections.byName.get(table)?.cell : undefined;
}

function evaluate(engine: Engine, kept: Cell, options: AuditOptions): Evaluation {
  const { computations = COMPUTATIONS, millis = Infinity } = options;
  const full = run(engine, kept, { computations, late: after(engine, millis), from: "rows" });
  if (full.obstacle !== "too large") return full;
  const late = after(engine, ALONE_MS);
  return run(engine, kept, { computations: 1, late, from: "neighbours" });
}

/** Reports if some milliseconds have passed since this call. */
function after(engine: Engine, millis: number): () => boolean {
  const start = engine.now?.() ?? 0;
  return () => engine.now !== undefined && engine.now() - start > millis;
}

function run(engine: Engine, { home, key }: Cell, bounds: Bounds): Evaluation {
  const evaluation = new Evaluation(engine, bounds);
  try {
    if (home instanceof DerivedTable) evaluation.cell(home, key);
    else evaluation.content(home as LiveCollection);
  } catch (error) {
    // An abandoned evaluation has an obstacle; anything else is a failure of the engine.
    if (evaluation.obstacle === undefined) throw error;
  }
  return evaluation;
}

/** The cells of an evaluation whose kept value differs from the computed one, the deepest first. */
function differing(evaluation: Evaluation, kept: Cell): Cell[] {
  const wrong: Cell[] = [];
  for (const [table, found] of evaluation.values) {
    for (const [key, fresh] of found) {
      const cell = table.cells.get(key);
      // A stale cell makes no statement.
      if (cell === undefined || fresh === undefined || (cell.flags & STALE) !== 0) continue;
      if (!holds(table, cell, fresh.value)) wrong.push(cell);
    }
  }
  const { home } = kept;
  if (home instanceof LiveCollection) {
    const fresh = evaluation.content(home);
    if (!sameContent(home.claims.content, fresh)) wrong.push(kept);
  }
  return wrong;
}

/** Reports if a cell holds a value, by the table's equality and, for resources, byte by byte. */
function holds(table: DerivedTable, cell: Cell, fresh: unknown): boolean {
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
 * Marks wrong cells to be computed again, in a new revision. Their values are
 * dropped, because a wrong value is no last good one.
 */
function repair(engine: Engine, wrong: readonly Cell[]): void {
  engine.revision++;
  for (const cell of wrong) {
    if (!(cell.home instanceof DerivedTable)) continue;
    markCell(cell);
    cell.flags &= ~(COMPUTED | VALUE);
  }
  for (const { home } of wrong) if (home instanceof LiveCollection) rebuild(engine, home);
  engine.flush();
}

/** Builds a collection again. Its log starts again, too, so that its subscribers compare in full. */
function rebuild(engine: Engine, collection: LiveCollection): void {
  markReaders(collection.cell);
  unbuild(collection);
  engine.pull(collection.cell);
  engine.collections.changed.add(collection);
}

function refOf({ home, key }: Cell): CellRef {
  return { table: home.name, key };
}
