/**
 * The law: what the engine keeps up to date equals what a fresh graph computes
 * from the same rows, whatever happened in between; and the differences it tells
 * lead from what was to what is.
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { createWorld, GROUPS, LISTS, NAMES, type Thing, THINGS, type World } from "./law_world.ts";
import {
  type Collection,
  createGraph,
  type Derived,
  type Edit as Listed,
  type Resource,
  type View,
} from "./mod.ts";

type Edit =
  | { readonly table: "things"; readonly key: string; readonly row: Thing | undefined }
  | { readonly table: "lists"; readonly key: string; readonly row: readonly string[] | undefined };

type Step =
  | { readonly do: "edit"; readonly edits: readonly Edit[] }
  | { readonly do: "publish"; readonly check: number }
  | { readonly do: "peek"; readonly table: number; readonly key: string }
  | { readonly do: "read" | "hold" | "drop"; readonly which: number }
  | { readonly do: "warm"; readonly steps: number }
  | { readonly do: "prepare"; readonly steps: number }
  | { readonly do: "evict"; readonly cells: number; readonly collections: number };

/** What someone who holds a view has seen of it. */
interface Sighting {
  readonly view: View;
  readonly revision: number;
  readonly content: ReadonlyMap<string, string>;
}

function steps(faults: boolean): fc.Arbitrary<Step[]> {
  const n = faults ? fc.nat(8) : fc.nat(6);
  const thing: fc.Arbitrary<Thing> = fc.record({
    n,
    groups: fc.subarray([...GROUPS]),
    mode: faults ? fc.nat(3) : fc.constantFrom(1, 1, 3, 0, 2),
    link: fc.constantFrom(...THINGS),
  });
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        table: fc.constant("things" as const),
        key: fc.constantFrom(...THINGS),
        row: fc.option(thing, { nil: undefined, freq: 4 }),
      }),
    },
    fc.record({
      table: fc.constant("lists" as const),
      key: fc.constantFrom(...LISTS),
      row: fc.option(fc.subarray([...GROUPS, ...THINGS]), { nil: undefined, freq: 6 }),
    }),
  );
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("edit" as const),
        edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("publish" as const), check: fc.nat(255) }),
    },
    fc.record({
      do: fc.constant("peek" as const),
      table: fc.nat(20),
      key: fc.constantFrom(...THINGS, ...LISTS),
    }),
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom("read" as const, "hold" as const, "hold" as const, "drop" as const),
        which: fc.nat(5),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("warm" as const, "prepare" as const),
        steps: fc.nat(8),
      }),
    },
    fc.record({
      do: fc.constant("evict" as const),
      cells: fc.constantFrom(0, 0, 3, 20),
      collections: fc.constantFrom(0, 0, 2),
    }),
  );
  return fc.array(step, { minLength: 4, maxLength: 40 });
}

/** Runs the steps on one world, and checks it where they say. */
class Run {
  readonly world: World;
  readonly #held = new Map<View, number>();
  #sightings: Sighting[] = [];
  #published = new Map<Collection, ReadonlyMap<string, string>>();
  /** Of each watched cell, the value last told. */
  readonly #told = new Map<string, unknown>();
  readonly #watches: { close(): void }[] = [];

  constructor(logLimit: number) {
    let time = 0;
    this.world = createWorld(createGraph({ logLimit, now: () => time++ }));
    for (const table of this.world.tables.slice(0, 4)) this.#watch(table, "t0");
  }

  #watch(table: Derived<unknown>, key: string): void {
    const watch = this.world.graph.watch(table, key, (value) => {
      assert.notDeepEqual(value, this.#told.get(table.name), `${table.name} told twice`);
      this.#told.set(table.name, value);
      assert.equal(watch.value, value);
    });
    this.#told.set(table.name, watch.value);
    this.#watches.push(watch);
  }

  /** Every watcher has been told the present value. */
  #checkWatches(): void {
    for (const table of this.world.tables.slice(0, 4)) {
      const value = outcome(this.world, table, "t0");
      if (value !== "fault") assert.deepEqual(value, { value: this.#told.get(table.name) });
    }
  }

  step(step: Step): void {
    const { graph, tables } = this.world;
    switch (step.do) {
      case "edit":
        return this.#edit(step.edits);
      case "publish":
        return this.#publish(step.check);
      case "peek":
        outcome(this.world, tables[step.table % tables.length]!, step.key);
        return;
      case "read":
        void this.world.collections()[step.which % 5]!.size;
        return;
      case "hold":
        return this.#hold(this.world.views()[step.which]!);
      case "drop":
        return this.#drop(this.world.views()[step.which]!);
      case "warm":
        return this.#warm(step.steps);
      case "prepare":
        for (let n = 0; n < step.steps; n++) if (graph.prepare(0)) break;
        return;
      case "evict":
        graph.evict(step);
    }
  }

  /** The last word: publish, and compare everything; then let go of everything, of which nothing stays. */
  finish(): void {
    this.#publish(255);
    const { graph } = this.world;
    for (const view of [...this.#held.keys()]) this.#drop(view);
    for (const watch of this.#watches) watch.close();
    graph.evict({ collections: 0, cells: 0 });
    // Cells that read each other in a circle hold each other.
    if (graph.faults().length > 0) return;
    const { cells, idle, rowsRead } = graph.stats();
    assert.deepEqual([cells, rowsRead, idle], [0, 0, { collections: 0, cells: 0, bytes: 0 }]);
  }

  #edit(edits: readonly Edit[]): void {
    const { graph } = this.world;
    const before = rowsOf(this.world);
    const last = graph.revision;
    this.#write(edits);
    const listed = graph.edits(last);
    if (listed !== undefined) checkEdits(listed, before, rowsOf(this.world), graph.revision);
  }

  #write(edits: readonly Edit[]): void {
    const { graph, things, lists } = this.world;
    graph.transaction((tx) => {
      for (const { table, key, row } of edits) {
        if (table === "things") {
          row === undefined ? tx.delete(things, key) : tx.set(things, key, row);
        } else row === undefined ? tx.delete(lists, key) : tx.set(lists, key, row);
      }
    });
  }

  /** So many cells ahead: nothing that is held is seen to change. */
  #warm(steps: number): void {
    const seen = () => [...this.#held.keys()].map((view) => toObject(versions(view.entries())));
    seen(); // What is built by being looked at is built now.
    const before = seen();
    for (let n = 0; n < steps; n++) if (this.world.graph.warm(0)) break;
    assert.deepEqual(seen(), before);
  }

  #hold(view: View): void {
    if (this.#held.has(view)) return;
    for (const layer of view.layers) layer.retain();
    this.#held.set(view, 1);
  }

  #drop(view: View): void {
    if (!this.#held.delete(view)) return;
    for (const layer of view.layers) layer.release();
    this.#sightings = this.#sightings.filter((sighting) => sighting.view !== view);
  }

  #publish(check: number): void {
    const { graph } = this.world;
    const last = graph.published;
    this.#checkChanged(graph.publish(), last);
    this.#checkWatches();
    for (const sighting of this.#sightings) checkSighting(sighting, [...this.#held.keys()]);
    for (const view of this.#held.keys()) {
      checkView(this.world, view);
      this.#sightings.push({ view, revision: graph.published, content: versions(view.entries()) });
    }
    if (check % 2 === 1) checkAgainstScratch(this.world, check);
    if (check % 4 < 2) checkAudits(this.world, check % 3);
  }

  /** A held collection is reported when it differs from the last publication, and only with a log to show. */
  #checkChanged(changed: ReadonlySet<Collection>, last: number): void {
    const now = new Map<Collection, ReadonlyMap<string, string>>();
    for (const view of this.#held.keys()) {
      for (const layer of view.layers) now.set(layer, versions(layer.content.values()));
    }
    for (const [collection, content] of now) {
      const before = this.#published.get(collection);
      if (before === undefined) continue;
      if (!sameMap(before, content)) assert.ok(changed.has(collection), collection.name);
      if (changed.has(collection)) assert.notEqual(collection.since(last)?.length, 0);
    }
    this.#published = now;
  }
}

/** All rows, by table and key. */
function rowsOf({ things, lists }: World): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  for (const table of [things, lists]) {
    for (const key of table.keys()) rows.set(`${table.name}/${key}`, table.peek(key));
  }
  return rows;
}

/** The edits listed are the differences between the rows. */
function checkEdits(
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
  const told = edits.map((edit) => `${edit.revision} ${edit.kind} ${edit.table}/${edit.key}`);
  assert.deepEqual(told.sort(), expected.sort());
}

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

function versions(resources: Iterable<Resource>): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, version } of resources) {
    assert.ok(!found.has(name), `${name} is there twice`);
    found.set(name, version);
  }
  return found;
}

/** A view against the plain reading of its layers. */
function checkView(world: World, view: View): void {
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

/** What a view tells of the past against what was seen then. */
function checkSighting({ view, revision, content }: Sighting, held: readonly View[]): void {
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

function toObject(map: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...map].sort());
}

function outcome(world: World, table: Derived<unknown>, key: string): unknown {
  try {
    return { value: world.graph.peek(table, key) };
  } catch {
    return "fault";
  }
}

/** No audit finds anything, from the rows or from the neighbours, and none leaves a trace. */
function checkAudits({ graph }: World, computations: number): void {
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

/** Everything against a graph made from the same rows. `pick` chooses what is asked for before the comparison. */
function checkAgainstScratch(world: World, pick: number): void {
  const scratch = createWorld(createGraph());
  scratch.graph.transaction((tx) => {
    for (const key of world.things.keys()) tx.set(scratch.things, key, world.things.peek(key)!);
    for (const key of world.lists.keys()) tx.set(scratch.lists, key, world.lists.peek(key)!);
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

/**
 * What a fault excuses: everything that depends on a cell that failed, or on a
 * row that could not be placed. The failing cell itself must fail from scratch too.
 */
function exceptions({ graph }: World): ReadonlySet<string> {
  const excepted = new Set<string>();
  for (const fault of graph.faults()) {
    const table = fault.table === "byGroup" ? "things" : fault.table;
    if (fault.lastGood) excepted.add(`${fault.table}/${fault.key}`);
    for (const dependent of graph.blast(table, fault.key)) {
      excepted.add(`${dependent.table}/${dependent.key}`);
      if (dependent.kind === "collection") {
        excepted.add(`${dependent.table}/`).add(`${dependent.table}/conflicts`);
      }
    }
  }
  return excepted;
}

function law(name: string, faults: boolean, numRuns: number): void {
  Deno.test(name, () => {
    fc.assert(
      fc.property(steps(faults), fc.constantFrom(3, 10, 4096), (all, logLimit) => {
        const run = new Run(logLimit);
        for (const step of all) run.step(step);
        run.finish();
      }),
      { numRuns },
    );
  });
}

law("law: what is kept equals what is computed from scratch", false, 1000);
law("law: so it does with functions that throw and cells that read themselves", true, 600);
