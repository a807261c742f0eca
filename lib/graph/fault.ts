/**
 * Containment: how failures are recorded, told and healed.
 *
 * @module
 */
import type { Fault } from "./api.ts";
import { type Cell, VALUE } from "./cell.ts";
import type { Engine, SideFault } from "./engine.ts";
import { MeshError } from "../base/mod.ts";

/** Thrown by a read of a cell that has a fault and no last good value. */
export class DependencyFault extends MeshError {
  /** Name of the table read. */
  readonly table: string;
  /** Key read. */
  readonly key: string;

  constructor(table: string, key: string, cause: unknown) {
    super("graph-dependency-fault", `${table}/${key} could not be computed: ${reason(cause)}`, {
      cause,
      remedy: "Correct what the cause names; this heals by itself.",
    });
    this.table = table;
    this.key = key;
  }
}

/** The sentence of an error, whatever was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `table/key`, or the table alone where the key is empty. */
export function nameOf(cell: Cell): string {
  return cell.key === "" ? cell.home.name : `${cell.home.name}/${cell.key}`;
}

/**
 * The error for a chain of cells of which the last reads the first. Told from the
 * cell that sorts first, wherever the circle was entered.
 */
export function cycleError(cycle: readonly Cell[]): MeshError {
  const names = cycle.map(nameOf);
  const first = names.reduce((a, b) => (b < a ? b : a));
  const start = names.indexOf(first);
  const chain = [...names.slice(start), ...names.slice(0, start), first].join(" → ");
  return new MeshError("graph-cycle", `${first} depends on itself: ${chain}.`, {
    remedy: "Break the circle in the configuration that these are computed from.",
  });
}

/** Whether an error is that of a cycle, for the cells on it. */
export function isCycle(error: unknown): boolean {
  return error instanceof MeshError && error.code === "graph-cycle";
}

/** Records that a cell failed. Its last good value stays; the first failure is told. */
export function raise(engine: Engine, cell: Cell, error: unknown): void {
  const known = cell.fault;
  cell.fault = { error, since: known?.since ?? engine.revision };
  if (known !== undefined) return;
  if ((cell.flags & VALUE) === 0) cell.changedAt = engine.revision;
  engine.faulted.add(cell);
  if (engine.onFault !== undefined) tell(engine, cell.home.name, cell.key, engine.describe(cell));
}

/** Records that a cell works again (or is gone). */
export function heal(engine: Engine, cell: Cell): void {
  cell.fault = undefined;
  engine.faulted.delete(cell);
  if (engine.onFault !== undefined) tell(engine, cell.home.name, cell.key, undefined);
}

/** Records that something outside a cell failed. */
export function raiseAside(engine: Engine, fault: SideFault): void {
  const id = `${fault.table}\0${fault.key}`;
  const known = engine.sideFaults.get(id);
  engine.sideFaults.set(id, known === undefined ? fault : { ...fault, since: known.since });
  if (known === undefined) tell(engine, fault.table, fault.key, fault);
}

/** Records that it works again. Nothing happens when it had not failed. */
export function healAside(engine: Engine, table: string, key: string): void {
  if (engine.sideFaults.size === 0) return;
  if (engine.sideFaults.delete(`${table}\0${key}`)) tell(engine, table, key, undefined);
}

function tell(engine: Engine, table: string, key: string, fault: Fault | undefined): void {
  if (engine.onFault !== undefined) engine.notices.push([table, key, fault]);
}

/** The complaint about a table of another graph, or of no graph. */
export function foreign(name: string): MeshError {
  return new MeshError("graph-foreign-table", `${name} does not belong to this graph.`, {
    remedy: "Use the objects that this graph's own functions returned.",
  });
}
