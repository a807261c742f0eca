/**
 * Counters, and the whole graph as plain JSON.
 *
 * @module
 */
import type { Fault, Stats } from "../api/answers.ts";
import { type Cell, isRead, nameOf, reason, STALE } from "../cells/mod.ts";
import type { LiveCollection } from "../collections/mod.ts";
import { idle } from "../compute/mod.ts";
import type { Engine } from "../engine.ts";
import type { DerivedTable, IndexTable, InputTable } from "../tables/mod.ts";
import { describeFault } from "./explain.ts";

/** Bytes shown of an encoded value before it is cut. */
const SHOWN_BYTES = 64;

/** All present faults: those of cells, then those of index functions, key functions and watchers. */
export function faults(engine: Engine): readonly Fault[] {
  const found: Fault[] = [];
  for (const cell of engine.faulted) {
    const fault = describeFault(cell);
    if (fault !== undefined) found.push(fault);
  }
  return [...found, ...engine.sideFaults.values()];
}

/** The counters. */
export function stats(engine: Engine): Stats {
  const computedByTable: Record<string, number> = {};
  const microsByTable: Record<string, number> = {};
  let computed = 0;
  let cells = 0;
  let rows = 0;
  let rowsRead = 0;
  const reuse: Record<string, { made: number; revived: number }> = {};
  for (const table of engine.tables.values()) {
    if (table.kind === "input") {
      rows += table.count;
      for (const cell of table.rows.values()) if (isRead(cell)) rowsRead++;
    }
    if (table.kind !== "derived") continue;
    cells += table.cells.size;
    computed += table.computed;
    computedByTable[table.name] = table.computed;
    microsByTable[table.name] = table.micros;
    if (table.holdsResources) reuse[table.name] = { made: table.made, revived: table.revived };
  }
  let bytes = 0;
  for (const { claims } of engine.collections.byName.values()) bytes += claims.bytes;
  return {
    revision: engine.revision,
    published: engine.published,
    rows,
    cells,
    computed,
    computedByTable,
    microsByTable,
    cutOff: engine.cutOff,
    faults: engine.faulted.size + engine.sideFaults.size,
    bytes,
    logged: engine.collections.logged.bytes,
    idle: idle(engine),
    evicted: engine.evicted,
    reuse,
    rowsRead,
  };
}

/** Sets the counters of work done to zero. */
export function resetStats(engine: Engine): void {
  engine.cutOff = 0;
  engine.ledger.reset();
  for (const table of engine.tables.values()) {
    if (table.kind === "derived") table.computed = table.micros = 0;
  }
}

/** The whole graph as plain JSON. */
export function dump(engine: Engine, values: boolean): unknown {
  const inputs: Record<string, unknown> = {};
  const derived: Record<string, unknown> = {};
  const indexes: Record<string, unknown> = {};
  const collections: Record<string, unknown> = {};
  for (const table of engine.tables.values()) {
    if (table.kind === "input") inputs[table.name] = dumpRows(table, values);
    else if (table.kind === "derived") derived[table.name] = dumpCells(table, values);
    else indexes[table.name] = dumpBuckets(table);
  }
  for (const collection of engine.collections.byName.values()) {
    collections[collection.name] = dumpCollection(collection, values);
  }
  return {
    revision: engine.revision,
    published: engine.published,
    inputs,
    derived,
    indexes,
    collections,
    faults: faults(engine).map((fault) => ({ ...fault, error: reason(fault.error) })),
  };
}

function dumpRows(table: InputTable, values: boolean): Record<string, unknown> {
  return byKey(table.rows.values(), (cell) => ({
    changedAt: cell.changedAt,
    ...(cell.value === undefined ? { absent: true } : {}),
    ...(values ? { value: plain(cell.value) } : {}),
  }));
}

function dumpCells(table: DerivedTable, values: boolean): Record<string, unknown> {
  return byKey(table.cells.values(), (cell) => ({
    changedAt: cell.changedAt,
    verifiedAt: cell.verifiedAt,
    stale: (cell.flags & STALE) !== 0,
    dependencies: cell.deps.map(nameOf),
    ...(cell.fault === undefined ? {} : { fault: reason(cell.fault.error) }),
    ...(values ? { value: plain(cell.value) } : {}),
  }));
}

function dumpBuckets(index: IndexTable): Record<string, unknown> {
  const buckets: Record<string, unknown> = {};
  for (const key of [...index.buckets.keys()].sort()) {
    buckets[key] = [...index.buckets.get(key)!.members.keys()].sort();
  }
  return buckets;
}

function dumpCollection(collection: LiveCollection, values: boolean): unknown {
  const { cell, built, users, claims } = collection;
  const resources: Record<string, unknown> = {};
  for (const name of [...claims.content.keys()].sort()) {
    const resource = claims.content.get(name)!;
    resources[name] = values
      ? plain(resource)
      : resource.tombstone
      ? { tombstone: true }
      : resource.version;
  }
  const members = [...collection.counts.keys()].sort();
  const conflicts = Object.fromEntries([...claims.rivals].sort());
  return { built, users, changedAt: cell.changedAt, members, conflicts, resources };
}

function byKey(cells: Iterable<Cell>, show: (cell: Cell) => unknown): Record<string, unknown> {
  const sorted = [...cells].sort((a, b) => (a.key < b.key ? -1 : 1));
  return Object.fromEntries(sorted.map((cell) => [cell.key, show(cell)]));
}

/** A value as JSON can hold it: maps as objects, sets as arrays, big integers as text, bytes by their start. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return plainBytes(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return [...value].map(plain);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, field]) => [String(key), plain(field)]));
}

function plainBytes(bytes: Uint8Array): unknown {
  const start = Array.from(
    bytes.subarray(0, SHOWN_BYTES),
    (byte) => byte.toString(16).padStart(2, "0"),
  );
  return { length: bytes.length, hex: start.join("") };
}
