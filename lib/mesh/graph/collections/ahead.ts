/**
 * Computing cells ahead of a publication, without changing collections.
 *
 * @module
 */
import { type Cell, type Core, LATE } from "../cells/mod.ts";
import type { LiveCollection } from "./collection.ts";

/**
 * Brings a cell up to date, unless it reads a collection that is out of date, or time is up before
 * one of its parts.
 *
 * @returns that collection, or {@link LATE}; the cell is then unchanged
 */
export function attempt(engine: Core, cell: Cell): LiveCollection | typeof LATE | undefined {
  const outer = engine.ahead;
  engine.ahead = true;
  try {
    engine.pull(cell);
    return undefined;
  } catch (error) {
    const { halted } = engine;
    if (halted === undefined) throw error;
    engine.halted = undefined;
    return halted === LATE ? LATE : halted.home as LiveCollection;
  } finally {
    engine.ahead = outer;
  }
}
