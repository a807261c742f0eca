/**
 * Computing cells ahead of a publication, without changing collections.
 *
 * @module
 */
import type { Cell, Core } from "../cells/mod.ts";
import type { LiveCollection } from "./collection.ts";

/**
 * Brings a cell up to date, unless it reads a collection that is out of date.
 *
 * @returns that collection; the cell is then unchanged
 */
export function attempt(engine: Core, cell: Cell): LiveCollection | undefined {
  const outer = engine.ahead;
  engine.ahead = true;
  try {
    engine.pull(cell);
    return undefined;
  } catch (error) {
    const { halted } = engine;
    if (halted === undefined) throw error;
    engine.halted = undefined;
    return halted.home as LiveCollection;
  } finally {
    engine.ahead = outer;
  }
}
