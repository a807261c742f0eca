/**
 * Cells that read themselves.
 *
 * @module
 */
import type { Cell } from "./cell.ts";
import type { Engine } from "./engine.ts";
import { cycleError } from "./fault.ts";
import type { MeshError } from "../base/mod.ts";

/**
 * The innermost busy cell reads `cell`, which is busy itself. Every cell between
 * the two takes the fault, whichever of them was asked for first, so that the
 * outcome does not depend on the order of reading.
 *
 * Verifying counts as computing: the dependencies before the one being verified
 * are unchanged, so that computing anew would read that one again.
 */
export function closeCycle(engine: Engine, cell: Cell): MeshError {
  const cycle = engine.path.slice(engine.path.lastIndexOf(cell));
  const error = cycleError(cycle);
  for (const member of cycle) engine.cycles.set(member, error);
  return error;
}
