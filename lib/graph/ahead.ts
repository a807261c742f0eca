/**
 * Computing what will be asked for, without what would have to bring a collection
 * up to date: that is for its publication, or has pieces of its own.
 *
 * @module
 */
import type { Cell } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { Engine } from "./engine.ts";

/** A piece of building a collection. */
export interface Step {
  readonly collection: LiveCollection;
  /** Whether time is up; asked after every member. */
  readonly late: () => boolean;
  /** Collections that wait for this one, it itself included. */
  readonly waiting: readonly LiveCollection[];
  /** Set when the next member asks for a collection that is not built: it comes first. */
  blocked: LiveCollection | undefined;
}

/**
 * Brings a cell up to date, unless it asks for a collection that is not.
 *
 * @returns that collection; the cell is then as it was
 */
export function attempt(engine: Engine, cell: Cell): LiveCollection | undefined {
  const outer = engine.ahead;
  engine.ahead = true;
  try {
    engine.pull(cell);
    return undefined;
  } catch (error) {
    const { halted } = engine;
    if (halted === undefined) throw error;
    engine.halted = undefined;
    return halted;
  } finally {
    engine.ahead = outer;
  }
}
