/**
 * The pull half: bringing a stale cell up to date.
 *
 * @module
 */
import { BUSY, type Cell, COMPUTED, isRead, relink, STALE, VALUE } from "./cell.ts";
import { Content } from "./claims.ts";
import { closeCycle } from "./cycle.ts";
import { type Engine, weigh } from "./engine.ts";
import { heal, isCycle, nameOf, raise } from "./fault.ts";
import type { DerivedTable } from "./home.ts";
import { Frame } from "./read.ts";
import { settle } from "./settle.ts";
import { MeshError } from "../base/mod.ts";

/** In place of a position among the dependencies: compute without verifying. */
const COMPUTE = -1;

/** Thrown through computations that ask for what must not change yet; never seen outside. */
const HALTED = new MeshError("graph-halted", "This computation waits for the publication.");

/**
 * Busy cells before a chain is taken for endless (a key that grows with every
 * read). A hundred times what configuration can be expected to nest.
 */
const LONGEST_PATH = 20_000;

/**
 * Brings a cell up to date. Dependencies are verified with a stack of their own,
 * not the native one; only computations that read something new nest natively,
 * and those are bounded (see `read.ts`).
 */
export function pull(engine: Engine, root: Cell): void {
  if ((root.flags & STALE) === 0) return;
  const { path, cursors } = engine;
  const base = path.length;
  let done = false;
  try {
    enter(engine, root);
    while (path.length > base) {
      const cell = path[path.length - 1]!;
      const wanted = advance(engine, cell);
      if (wanted !== undefined) {
        enter(engine, wanted);
        continue;
      }
      cell.flags &= ~BUSY;
      path.pop();
      cursors.pop();
    }
    done = true;
  } finally {
    if (!done) abandon(engine, base);
  }
}

function enter(engine: Engine, cell: Cell): void {
  if (engine.path.length >= LONGEST_PATH) {
    fail(engine, cell, endless(engine));
    return;
  }
  cell.flags |= BUSY;
  engine.path.push(cell);
  // Who was on a cycle may be off it although no value below has changed.
  const verifiable = (cell.flags & COMPUTED) !== 0 && !isCycle(cell.fault?.error);
  engine.cursors.push(verifiable ? 0 : COMPUTE);
}

/** Leaves the cells above `base` as they were before, stale, after a failure of the engine itself. */
function abandon(engine: Engine, base: number): void {
  for (let i = base; i < engine.path.length; i++) {
    const cell = engine.path[i]!;
    cell.flags &= ~BUSY;
    engine.cycles.delete(cell);
  }
  engine.path.length = base;
  engine.cursors.length = base;
}

/** Works on the innermost busy cell. Returns the cell that must come first, or nothing when it is done. */
function advance(engine: Engine, cell: Cell): Cell | undefined {
  const home = cell.home;
  if (home.kind === "collection") {
    if (engine.ahead) {
      engine.halted = home;
      throw HALTED;
    }
    settle(engine, home);
    return undefined;
  }
  if (home.kind !== "derived") throw new Error(`A cell of ${home.name} can not be stale.`);
  const at = engine.path.length - 1;
  if (engine.cursors[at] !== COMPUTE) {
    const wanted = verify(engine, cell, at);
    if (wanted !== undefined) return wanted;
    if ((cell.flags & STALE) === 0) return undefined;
    engine.cursors[at] = COMPUTE;
  }
  return compute(engine, cell, home);
}

/**
 * Looks at the dependencies in the order they were read, and stops at the first
 * that changed: those after it might not be read again. Leaves the cell current
 * when none did.
 */
function verify(engine: Engine, cell: Cell, at: number): Cell | undefined {
  const deps = cell.deps;
  const verifiedAt = cell.verifiedAt;
  for (let i = engine.cursors[at]!; i < deps.length; i++) {
    const dep = deps[i]!;
    if ((dep.flags & STALE) !== 0) {
      if ((dep.flags & BUSY) === 0) {
        engine.cursors[at] = i;
        return dep;
      }
      closeCycle(engine, dep);
      break;
    }
    if (dep.changedAt > verifiedAt) return undefined;
  }
  if (!failCycle(engine, cell)) settled(engine, cell);
  return undefined;
}

/** Runs the function of a cell. Returns the cell that must come first when it was given up. */
function compute(engine: Engine, cell: Cell, table: DerivedTable): Cell | undefined {
  const outer = engine.frame;
  const base = engine.top;
  const frame = new Frame(engine, cell);
  const start = engine.now?.() ?? 0;
  let value: unknown;
  let error: unknown;
  let threw = false;
  engine.frame = frame;
  engine.depth++;
  try {
    value = table.compute(frame, table.keyCodec.decode(cell.key));
  } catch (thrown) {
    threw = true;
    error = thrown;
  } finally {
    engine.depth--;
    engine.frame = outer;
  }
  if (engine.halted !== undefined) {
    engine.top = base;
    throw HALTED;
  }
  const wanted = engine.wanted;
  if (wanted !== undefined) {
    engine.wanted = undefined;
    engine.top = base;
    return wanted;
  }
  table.computed++;
  cell.runs++;
  engine.ledger.computed++;
  if (engine.now !== undefined) charge(engine, cell, table, frame, (engine.now() - start) * 1000);
  relink(engine, cell, base);
  cell.flags |= COMPUTED;
  if (failCycle(engine, cell)) return undefined;
  if (threw) fail(engine, cell, error);
  else conclude(engine, cell, table, value);
  return undefined;
}

/** Own time is what is left when the computations nested inside are taken off. */
function charge(
  engine: Engine,
  cell: Cell,
  table: DerivedTable,
  { inner }: Frame,
  micros: number,
): void {
  engine.ledger.charge(cell, table, micros - inner);
  if (engine.frame !== undefined) engine.frame.inner += micros;
}

function conclude(engine: Engine, cell: Cell, table: DerivedTable, result: unknown): void {
  // The live content of a collection goes on changing under its reader: keep a copy.
  const value = result instanceof Content ? new Map(result) : result;
  const same = (cell.flags & VALUE) !== 0 && equal(table, cell.value, value);
  if (!same) {
    if (table.heavy && !isRead(cell)) engine.unreadBytes += weigh(value) - weigh(cell.value);
    cell.value = value;
  }
  cell.flags |= VALUE;
  if (cell.fault !== undefined) {
    // Readers may have met the fault itself (in a cycle), not the value it hid behind.
    heal(engine, cell);
    cell.changedAt = engine.revision;
  } else if (same) {
    engine.cutOff++;
  } else {
    cell.changedAt = engine.revision;
  }
  settled(engine, cell);
}

/** An equality that throws only loses the cut-off. */
function equal(table: DerivedTable, a: unknown, b: unknown): boolean {
  try {
    return table.equal(a, b);
  } catch {
    return false;
  }
}

/** Faults a cell on a cycle, whatever its function made of it. Returns whether it was on one. */
function failCycle(engine: Engine, cell: Cell): boolean {
  if (engine.cycles.size === 0) return false;
  const error = engine.cycles.get(cell);
  if (error === undefined) return false;
  engine.cycles.delete(cell);
  fail(engine, cell, error);
  return true;
}

function fail(engine: Engine, cell: Cell, error: unknown): void {
  raise(engine, cell, error);
  settled(engine, cell);
}

function settled(engine: Engine, cell: Cell): void {
  cell.flags &= ~STALE;
  cell.verifiedAt = engine.revision;
}

function endless(engine: Engine): MeshError {
  const last = engine.path.slice(-3).map(nameOf).join(" → ");
  return new MeshError(
    "graph-endless-chain",
    `More than ${LONGEST_PATH} computations wait for each other, the last of them ${last}.`,
    { remedy: "Look for a key that is made longer with every read." },
  );
}
