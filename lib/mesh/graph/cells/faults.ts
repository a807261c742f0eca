/**
 * Faults: how failures are recorded, reported and healed.
 *
 * @module
 */
import type { Fault } from "../api/answers.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import { type Cell, nameOf, VALUE } from "./cell.ts";
import type { Core, SideFault } from "./core.ts";

/** Thrown by a read of a cell that has a fault and no last good value. */
export class DependencyFault extends MeshError {
  /** Name of the table read. */
  readonly table: string;
  /** Key read. */
  readonly key: string;

  constructor(table: string, key: string, cause: unknown) {
    super("graph-dependency-fault", `${table}/${key} could not be computed: ${reason(cause)}`, {
      cause,
      remedy: "Correct the object that the cause names; the value is then computed again.",
    });
    this.table = table;
    this.key = key;
  }
}

/** The sentence of an error, whatever was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The error for a chain of cells of which the last reads the first. The chain is
 * shown from the cell that sorts first, so that it does not depend on where the
 * cycle was entered.
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

/** Reports if an error is that of a cycle, for the cells on it. */
export function isCycle(error: unknown): boolean {
  return error instanceof MeshError && error.code === "graph-cycle";
}

/** Records that a cell failed. Its last good value stays; only the first failure is reported. */
export function raise(core: Core, cell: Cell, error: unknown): void {
  const known = cell.fault;
  cell.fault = { error, since: known?.since ?? core.revision };
  if (known !== undefined) return;
  if ((cell.flags & VALUE) === 0) cell.changedAt = core.revision;
  core.faulted.add(cell);
  if (core.onFault !== undefined) report(core, cell, core.describe(cell));
}

/** Records that a cell works again, or is gone. */
export function heal(core: Core, cell: Cell): void {
  cell.fault = undefined;
  core.faulted.delete(cell);
  report(core, cell, undefined);
}

function report(core: Core, { home, key }: Cell, fault: Fault | undefined): void {
  if (core.onFault !== undefined) core.notices.push([home.name, key, fault]);
}

/** Records that something outside a cell failed. */
export function raiseSide(core: Core, fault: SideFault): void {
  const { table, key } = fault;
  const id = sideId(table, key);
  const known = core.sideFaults.get(id);
  core.sideFaults.set(id, known === undefined ? fault : { ...fault, since: known.since });
  if (known === undefined && core.onFault !== undefined) core.notices.push([table, key, fault]);
}

/** Records that it works again. Nothing happens when it had not failed. */
export function healSide(core: Core, table: string, key: string): void {
  if (core.sideFaults.size === 0 || !core.sideFaults.delete(sideId(table, key))) return;
  if (core.onFault !== undefined) core.notices.push([table, key, undefined]);
}

function sideId(table: string, key: string): string {
  return `${table}\0${key}`;
}

/** The error for a table of another graph, or of no graph. */
export function foreign(name: string): MeshError {
  return new MeshError("graph-foreign-table", `${name} does not belong to this graph.`, {
    remedy: "Use the objects that this graph's own functions returned.",
  });
}
