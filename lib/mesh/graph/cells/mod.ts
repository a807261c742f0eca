/**
 * Cells: computed values with the edges between them, the marking of cells that may have changed,
 * faults of computations, and the cost ledger.
 *
 * @module
 */
export {
  BUSY,
  Cell,
  COMPUTED,
  Home,
  IDLE,
  isRead,
  nameOf,
  pushReaders,
  STALE,
  VALUE,
} from "./cell.ts";
export { ChangeWindow, type EditedEntry } from "./change_window.ts";
export { Core, LATE, type Part, type Running } from "./core.ts";
export { addReader, relink, unlink } from "./edges.ts";
export { sameBytes, structuralEqual } from "./equal.ts";
export {
  cycleError,
  DependencyFault,
  foreign,
  heal,
  healSide,
  isCycle,
  raise,
  raiseSide,
  reason,
} from "./faults.ts";
export { TENTHS } from "./ledger.ts";
export { markCell, markReaders } from "./marking.ts";
export { RevisionLog } from "./revision_log.ts";
export { lowerBound } from "./sorted.ts";
