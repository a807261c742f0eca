/**
 * Comparisons of the law's tests: views with their layers, differences with contents, edits with
 * rows, everything with a new graph. Used by tests only.
 *
 * @module
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { createWorld, GROUPS, LISTS, NAMES, THINGS, type World } from "./world.ts";
import {
  type Collection,
  createGraph,
  type Derived,
  type Edit as Listed,
  type Resource,
  type View,
} from "../../../lib/mesh/graph/mod.ts";

/** Content of a view that a reader has seen. */
export interface Sighting {
  readonly view: View;
  readonly revision: number;
  readonly content: ReadonlyMap<string, string>;
}

/** All rows from outside, by table and key. */
export function rowsOf({ things, lists }: World): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  for (const table of [things, lists]) {
    for (const key of table.keys()) {
      if (!table.isFed(key)) rows.set(`${table.name}/${key}`, table.peek(key));
    }
  }
  return rows;
}

/** The edits listed are the differences between the rows. */
export function checkEdits(
  edits: readonly Listed[],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  revision: number,
): void {
  const expected = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (isDeepStrictEqual(before.get(name), after.get(name))) continue;
    expected.push(`${revision} ${after.has(name) ? "set" : "delete"} ${name}`);
  }
  const shown = edits.map((edit) => `${edit.revision} ${edit.kind} ${edit.table}/${edit.key}`);
  assert.deepEqual(shown.sort(), expected.sort());
}

/** Reports if two maps say the same. */
export function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

/** Versions by name; no name may come twice. */
export function versions(resources: Iterable<Resource>): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, version } of resources) {
    assert.ok(!found.has(name), `${name} is there twice`);
    found.set(name, version);
  }
  return found;
}

/** A view against the plain reading of its layers. */
export function checkView(world: World, view: View): void {
  const expected = new Map<string, string>();
  for (const layer of [...view.layers].reverse()) {
    for (const resource of layer.content.values()) {
      if (resource.tombstone) expected.delete(resource.name);
      else expected.set(resource.name, resource.version);
    }
  }
  assert.deepEqual(versions(view.entries()), sorted(expected, view));
  assert.deepEqual([...view.names()].sort(), [...expected.keys()].sort());
  assert.equal(view.size, expected.size);
  for (const name of NAMES) {
    assert.equal(view.get(name)?.version, expected.get(name));
    checkCellOf(world, view, name);
  }
}

/** The cell said to be behind a resource makes that resource, unless it has come to fail. */
function checkCellOf({ graph, tables }: World, view: View, name: string): void {
  const resource = view.get(name);
  const cell = view.cellOf(name);
  assert.equal(cell === undefined, resource === undefined);
  if (cell === undefined) return;
  const table = tables.find((one) => one.name === cell.table) as Derived<readonly Resource[]>;
  assert.ok(graph.peek(table, cell.key).includes(resource!), `${cell.key} does not make ${name}`);
}

/** The expected content in the order of the view, which is of no interest. */
function sorted(expected: ReadonlyMap<string, string>, view: View): Map<string, string> {
  const ordered = new Map<string, string>();
  for (const name of view.names()) if (expected.has(name)) ordered.set(name, expected.get(name)!);
  for (const [name, version] of expected) ordered.set(name, version);
  return ordered;
}

/** Compares the past content of a view with what a reader saw then. */
export function checkSighting({ view, revision, content }: Sighting, held: readonly View[]): void {
  const now = versions(view.entries());
  const delta = view.since(revision);
  if (delta !== undefined) assert.deepEqual(replay(content, delta), toObject(now));
  for (const name of NAMES) {
    const then = view.at(revision, name);
    if (then !== null) assert.equal(then?.version, content.get(name));
  }
  const known = view.layers.every((layer) => layer.since(revision) !== undefined);
  assert.equal(delta !== undefined, known, "a delta is told exactly when the logs reach back");
  for (const other of held) {
    const before = known ? content : now;
    const moved = replay(before, other.diffFrom(view, revision));
    assert.deepEqual(moved, toObject(versions(other.entries())));
  }
}

/** Applies a delta, which must say nothing that was so before. */
function replay(
  content: ReadonlyMap<string, string>,
  delta: NonNullable<ReturnType<View["since"]>>,
) {
  const copy = new Map(content);
  for (const name of delta.removed) assert.ok(copy.delete(name), `${name} was not there to remove`);
  for (const { name, version } of delta.changed) {
    assert.notEqual(copy.get(name), version, `${name} did not change`);
    copy.set(name, version);
  }
  return toObject(copy);
}

/** A map as an object, its keys in order. */
export function toObject(map: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...map].sort());
}

/** The value of a cell, or that there is none. */
export function outcome(world: World, table: Derived<unknown>, key: string): unknown {
  try {
    return { value: world.graph.peek(table, key) };
  } catch {
    return "fault";
  }
}

/** No audit finds anything, from the rows or from the neighbours, and none leaves a trace. */
export function checkAudits({ graph }: World, computations: number): void {
  const before = graph.dump({ values: true });
  for (const { table, key } of graph.auditable()) {
    for (const result of [graph.audit(table, key), graph.audit(table, key, { computations })]) {
      assert.ok(
        ["right", "skipped"].includes(result.outcome),
        `${table}/${key} is said to be wrong`,
      );
    }
  }
  assert.deepEqual(graph.dump({ values: true }), before);
}

/**
 * Compares everything with a graph made from the same rows. `pick` selects what is read before the
 * comparison.
 */
export function checkAgainstScratch(world: World, pick: number): void {
  const scratch = createWorld(createGraph());
  scratch.graph.transaction((tx) => {
    for (const key of world.things.keys()) tx.set(scratch.things, key, world.things.peek(key)!);
    for (const key of world.lists.keys()) {
      if (!world.lists.isFed(key)) tx.set(scratch.lists, key, world.lists.peek(key)!);
    }
  });
  const tables = world.tables.filter((_, i) => (pick >> (1 + i % 7)) % 2 === 1);
  const keys = [...THINGS, ...LISTS, ...NAMES, "fixed", "moving"];
  const found = new Map<string, readonly [unknown, unknown]>();
  for (const [i, table] of world.tables.entries()) {
    if (!tables.includes(table)) continue;
    for (const key of keys) {
      const expected = outcome(scratch, scratch.tables[i]!, key);
      found.set(`${table.name}/${key}`, [outcome(world, table, key), expected]);
    }
  }
  const collections = world.collections();
  for (const [i, collection] of collections.entries()) {
    const expected = versions(scratch.collections()[i]!.content.values());
    const content = toObject(versions(collection.content.values()));
    found.set(`${collection.name}/`, [content, toObject(expected)]);
    const conflicts = (of: Collection) => Object.fromEntries([...of.conflicts].sort());
    found.set(`${collection.name}/conflicts`, [
      conflicts(collection),
      conflicts(scratch.collections()[i]!),
    ]);
  }
  for (const bucket of GROUPS) {
    found.set(`byGroup/${bucket}`, [world.byGroup.peek(bucket), scratch.byGroup.peek(bucket)]);
  }
  const excepted = exceptions(world);
  for (const [name, [actual, expected]] of found) {
    if (!excepted.has(name)) assert.deepEqual(actual, expected, name);
  }
  checkFaults(world, scratch);
}

/**
 * No fault outlives its cause: what is listed fails from scratch too. (With a row
 * that could not be placed, the buckets differ, and with them who reads what.)
 */
function checkFaults(world: World, scratch: World): void {
  const faults = world.graph.faults();
  if (faults.some(({ table }) => table === world.byGroup.name)) return;
  for (const { table, key } of faults) {
    const derived = scratch.tables.find(({ name }) => name === table);
    if (derived === undefined) continue;
    assert.equal(outcome(scratch, derived, key), "fault", `${table}/${key} is said to fail`);
  }
}

/** A thing whose rows are the last good ones may have echoes in other buckets than from scratch. */
const ECHOED: readonly (readonly [table: string, key: string])[] = [
  ...GROUPS.map((group) => ["echoes", `e${group}`] as const),
  ...["all", "m0", "b1"].map((bucket) => ["parity", bucket] as const),
  ...["m0", "b1"].map((key) => ["lists", key] as const),
];

/**
 * Returns the exceptions of a fault: everything that depends on a failed cell, or on a row that
 * could not be placed. The failed cell must also fail in a new graph.
 */
function exceptions({ graph }: World): ReadonlySet<string> {
  const excepted = new Set<string>();
  for (const fault of graph.faults()) {
    const table = fault.table === "byGroup" ? "things" : fault.table;
    if (fault.lastGood) excepted.add(`${fault.table}/${fault.key}`);
    const roots = [[table, fault.key], ...table === "echo" ? ECHOED : []] as const;
    for (const dependent of roots.flatMap(([of, key]) => graph.blast(of, key))) {
      excepted.add(`${dependent.table}/${dependent.key}`);
      if (dependent.kind === "collection") {
        excepted.add(`${dependent.table}/`).add(`${dependent.table}/conflicts`);
      }
    }
  }
  return excepted;
}
