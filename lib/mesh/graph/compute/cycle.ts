/**
 * Cells that read themselves.
 *
 * @module
 */
import type { MeshError } from "../../../kit/base/mod.ts";
import { type Cell, type Core, cycleError } from "../cells/mod.ts";

/**
 * Closes a cycle: the innermost busy cell reads `cell`, which is busy itself.
 * Every cell between the two gets the fault, so that the outcome does not depend
 * on the order of reads.
 *
 * Verifying counts as computing: the dependencies before the one being verified
 * are unchanged, so that the computation would read that one again.
 */
export function closeCycle(engine: Core, cell: Cell): MeshError {
  const cycle = engine.path.slice(engine.path.lastIndexOf(cell));
  const error = cycleError(cycle);
  for (const member of cycle) engine.cycles.set(member, error);
  return error;
}
