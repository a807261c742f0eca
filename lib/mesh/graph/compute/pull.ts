/**
 * The pull half: bringing a stale cell up to date.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import {
  BUSY,
  type Cell,
  COMPUTED,
  type Core,
  heal,
  isCycle,
  isRead,
  nameOf,
  raise,
  relink,
  STALE,
  VALUE,
} from "../cells/mod.ts";
import { Content, LiveCollection, settle } from "../collections/mod.ts";
import { bytesOf, DerivedTable } from "../tables/mod.ts";
import { closeCycle } from "./cycle.ts";
import { Frame, halted } from "./frame.ts";

/** In place of the number of a dependency: compute without verifying. */
const COMPUTE = -1;

/**
 * Busy cells before a chain is taken for endless (a key that grows with every
 * read). A hundred times the nesting that configuration is expected to have.
 */
const LONGEST_PATH = 20_000;

/**
 * Brings a cell up to date. Dependencies are verified with a stack of their own,
 * not the native one; only computations that read something new nest natively,
 * and those are bounded (see `frame.ts`).
 */
export function pull(engine: Core, root: Cell): void {
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

function enter(engine: Core, cell: Cell): void {
  if (engine.path.length >= LONGEST_PATH) {
    fail(engine, cell, endless(engine));
    return;
  }
  cell.flags |= BUSY;
  engine.path.push(cell);
  // A cell that was on a cycle may be off it although no value below has changed.
  const verifiable = (cell.flags & COMPUTED) !== 0 && !isCycle(cell.fault?.error);
  engine.cursors.push(verifiable ? 0 : COMPUTE);
}

/** Leaves the cells above `base` stale, after a failure of the engine itself. */
function abandon(engine: Core, base: number): void {
  for (let i = base; i < engine.path.length; i++) {
    const cell = engine.path[i]!;
    cell.flags &= ~BUSY;
    engine.cycles.delete(cell);
  }
  engine.path.length = base;
  engine.cursors.length = base;
}

/** Advances the innermost busy cell. Returns the cell that must be computed first, or nothing when it is done. */
function advance(engine: Core, cell: Cell): Cell | undefined {
  const home = cell.home;
  if (home instanceof LiveCollection) {
    if (engine.ahead) {
      engine.halted = cell;
      throw halted();
    }
    settle(home);
    return undefined;
  }
  if (!(home instanceof DerivedTable)) throw new Error(`A cell of ${home.name} can not be stale.`);
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
 * Verifies the dependencies in the order they were read, and stops at the first
 * one that changed: those after it might not be read again. The cell is current
 * when none did.
 */
function verify(engine: Core, cell: Cell, at: number): Cell | undefined {
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

/** Runs the function of a cell. Returns the cell that must be computed first when the function was abandoned. */
function compute(engine: Core, cell: Cell, table: DerivedTable): Cell | undefined {
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
    throw halted();
  }
  const wanted = engine.wanted;
  if (wanted !== undefined) {
    engine.wanted = undefined;
    engine.top = base;
    return wanted;
  }
  engine.parts.delete(cell);
  table.computed++;
  cell.runs++;
  engine.ledger.computed++;
  if (engine.now !== undefined) charge(engine, cell, frame, (engine.now() - start) * 1000);
  relink(engine, cell, base);
  cell.flags |= COMPUTED;
  if (failCycle(engine, cell)) return undefined;
  if (threw) fail(engine, cell, error);
  else conclude(engine, cell, table, value);
  return undefined;
}

/** Charges the time of a computation without the computations nested inside. */
function charge(engine: Core, cell: Cell, { inner }: Frame, micros: number): void {
  engine.ledger.charge(cell, micros - inner);
  (cell.home as DerivedTable).micros += micros - inner;
  if (engine.frame !== undefined) engine.frame.inner += micros;
}

function conclude(engine: Core, cell: Cell, table: DerivedTable, result: unknown): void {
  // The live content of a collection changes later: keep a copy.
  const value = result instanceof Content ? new Map(result) : result;
  const same = (cell.flags & VALUE) !== 0 && equal(table, cell.value, value);
  if (!same) {
    if (table.holdsResources && !isRead(cell)) {
      engine.unreadBytes += bytesOf(value) - bytesOf(cell.value);
    }
    cell.value = value;
  }
  cell.flags |= VALUE;
  if (cell.fault !== undefined) {
    // Readers may have read the fault (in a cycle) and not the last good value.
    heal(engine, cell);
    cell.changedAt = engine.revision;
  } else if (same) {
    engine.cutOff++;
  } else {
    cell.changedAt = engine.revision;
  }
  settled(engine, cell);
}

/** Reports if two values are equal. When the table's function throws, they are not. */
function equal(table: DerivedTable, a: unknown, b: unknown): boolean {
  try {
    return table.equal(a, b);
  } catch {
    return false;
  }
}

/** Gives a cell on a cycle its fault, whatever its function returned. Returns whether it was on one. */
function failCycle(engine: Core, cell: Cell): boolean {
  if (engine.cycles.size === 0) return false;
  const error = engine.cycles.get(cell);
  if (error === undefined) return false;
  engine.cycles.delete(cell);
  fail(engine, cell, error);
  return true;
}

function fail(engine: Core, cell: Cell, error: unknown): void {
  raise(engine, cell, error);
  settled(engine, cell);
}

function settled(engine: Core, cell: Cell): void {
  cell.flags &= ~STALE;
  cell.verifiedAt = engine.revision;
}

function endless(engine: Core): MeshError {
  const last = engine.path.slice(-3).map(nameOf).join(" → ");
  return new MeshError(
    "graph-endless-chain",
    `More than ${LONGEST_PATH} computations wait for each other, the last of them ${last}.`,
    { remedy: "Look for a key that is made longer with every read." },
  );
}
