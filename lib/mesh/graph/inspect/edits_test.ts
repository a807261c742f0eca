/** The record of edits, and the edits that caused a change. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { resource, tombstone, written } from "../fixture.ts";
import { text as textKeys } from "../../../kit/key/mod.ts";
import {
  type Collection,
  createGraph,
  type Edit,
  type Graph,
  type Input,
  type Resource,
} from "../mod.ts";

const shown = (edits: readonly Edit[] | undefined) =>
  edits?.map((edit) => `${edit.revision} ${edit.kind} ${edit.table}/${edit.key}`);

Deno.test("edits are listed when they change something, by revision", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  graph.transaction((tx) => {
    tx.set(rows, "a", 1);
    tx.set(rows, "b", 1);
  });
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.deepEqual(shown(graph.edits(0)), ["1 set rows/a", "1 set rows/b"]);
  graph.transaction((tx) => {
    tx.delete(rows, "a");
    tx.delete(rows, "nobody");
  });
  assert.deepEqual(shown(graph.edits(1)), ["2 delete rows/a"]);
  assert.deepEqual(shown(graph.edits(2)), []);
});

Deno.test("trimmed edits are reported as unknown", () => {
  const graph = createGraph({ editLimit: 3 });
  const rows = graph.input<number>("rows");
  for (let n = 1; n <= 5; n++) graph.transaction((tx) => tx.set(rows, "a", n));
  assert.equal(graph.edits(1), undefined);
  assert.deepEqual(shown(graph.edits(2)), ["3 set rows/a", "4 set rows/a", "5 set rows/a"]);
});

Deno.test("an edit is published by the first publication of its revision or a later one", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const write = (n: number) => graph.transaction((tx) => tx.set(rows, "a", n));
  write(1);
  write(2);
  graph.publish();
  graph.publish();
  write(3);
  assert.deepEqual([1, 2, 3].map((r) => graph.publishedWith(r)), [2, 2, undefined]);
  graph.publish();
  assert.equal(graph.publishedWith(3), 3);
});

Deno.test("the cell of a resource is found, in layers the cell of the visible one", () => {
  const graph = createGraph();
  const over = written(graph, "over");
  const under = written(graph, "under");
  over.write({ o1: "a@2 -b" });
  under.write({ u1: "a@1", u2: "b@1 c@1", u3: "c@2" });
  const view = graph.view([over.collection, under.collection]);
  assert.deepEqual(under.collection.cellOf("c"), { table: "under.resources", key: "u2" });
  assert.deepEqual(over.collection.cellOf("b"), { table: "over.resources", key: "o1" });
  assert.equal(under.collection.cellOf("nothing"), undefined);
  assert.deepEqual(view.cellOf("a"), { table: "over.resources", key: "o1" });
  assert.equal(view.cellOf("b"), undefined);
  assert.deepEqual(view.cellOf("c"), { table: "under.resources", key: "u2" });
  assert.deepEqual(graph.origins("under.resources", "u2"), ["under.rows/u2"]);
});

interface Row {
  readonly host: string;
  readonly scope: string;
  readonly text: number;
}

/** Services in scopes, whose resource tells the route of the first service of their host. */
function town() {
  const graph = createGraph();
  const services = graph.input<Row>("services");
  const routes = graph.input<number>("routes");
  const settings = graph.input<readonly string[]>("settings");
  const byScope = graph.index(
    services,
    "byScope",
    { bucket: textKeys, member: textKeys },
    (row, key) => [[row.scope, key]],
  );
  const byHost = graph.index(
    services,
    "byHost",
    { bucket: textKeys, member: textKeys },
    (row, key) => [[row.host, key]],
  );
  const first = graph.derive(
    "first",
    textKeys,
    (read, host) => read.members(byHost, host)[0] ?? "",
  );
  const seen = graph.derive("seen", textKeys, (read, key) => read.get(settings, key) ?? []);
  const resources = graph.derive<readonly Resource[], string>(
    "resources",
    textKeys,
    (read, key) => {
      const row = read.get(services, key);
      if (row === undefined) return [];
      const route = read.get(routes, read.get(first, row.host)) ?? 0;
      return [resource(`${key}.${row.text}`, `${row.host} ${route}`)];
    },
  );
  const collection = graph.collection("all", () => ({
    members: { index: byScope, bucketsFrom: [seen, "here"] },
    resources,
  }));
  collection.retain();
  return { graph, services, routes, settings, collection };
}

type Town = ReturnType<typeof town>;

function apply(town: Town, changes: Readonly<Record<string, unknown>>): void {
  town.graph.transaction((tx) => {
    for (const [name, row] of Object.entries(changes)) {
      const [table, key] = name.split("/") as ["services" | "routes" | "settings", string];
      const input = town[table] as Input<unknown>;
      if (row === undefined) tx.delete(input, key);
      else tx.set(input, key, row);
    }
  });
}

const START = {
  "settings/here": ["x"],
  "services/a": { host: "h", scope: "x", text: 1 },
  "services/b": { host: "h", scope: "x", text: 2 },
  "services/c": { host: "i", scope: "y", text: 1 },
  "routes/a": 5,
};

const CASES: readonly {
  readonly name: string;
  readonly edits: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    name: "a row that is read is changed",
    edits: { "routes/a": 6, "routes/z": 1 },
    expected: { "a.1": ["routes/a"], "b.2": ["routes/a"], "c.1": [] },
  },
  {
    name: "a row is deleted, and read no more",
    edits: { "routes/a": undefined, "routes/z": 1 },
    expected: { "a.1": ["routes/a"] },
  },
  {
    name: "a member goes",
    edits: { "services/a": undefined, "routes/c": 1 },
    expected: { "a.1": ["services/a"], "b.2": ["services/a"] },
  },
  {
    name: "a member comes, by its bucket",
    edits: { "services/n": { host: "n", scope: "x", text: 1 }, "routes/a": 7 },
    expected: { "n.1": ["services/n"], "a.1": ["routes/a"] },
  },
  {
    name: "members come by a list of buckets",
    edits: { "settings/here": ["x", "y"], "routes/a": 7 },
    expected: { "c.1": ["settings/here"], "a.1": ["routes/a"] },
  },
  {
    name: "a name goes from one to another of one member",
    edits: { "services/b": { host: "h", scope: "x", text: 9 }, "routes/q": 1 },
    expected: { "b.2": ["services/b"], "b.9": ["services/b"] },
  },
  {
    name: "two edits meet in one resource",
    edits: { "services/a": { host: "i", scope: "x", text: 3 }, "routes/b": 4 },
    expected: { "b.2": ["routes/b", "services/a"], "a.1": ["services/a"], "a.3": ["services/a"] },
  },
];

for (const { name, edits, expected } of CASES) {
  Deno.test(`a change is attributed to the edits that caused it: ${name}`, () => {
    const world = town();
    apply(world, START);
    world.graph.publish();
    apply(world, edits);
    world.graph.publish();
    for (const [name, rows] of Object.entries(expected)) {
      assert.deepEqual(causesOf(world.graph, world.collection, name), rows, name);
    }
  });
}

function causesOf(graph: Graph, collection: Collection, name: string): string[] {
  return graph.causes(collection, name).map(({ table, key }) => `${table}/${key}`).sort();
}

Deno.test("a name that passes to another member is attributed to the edit of the former one", () => {
  const graph = createGraph();
  const one = written(graph, "one");
  one.write({ a: "r@1", b: "r@2", c: "s" });
  one.collection.retain();
  graph.publish();
  one.write({ a: undefined, c: "t" });
  graph.publish();
  assert.deepEqual(causesOf(graph, one.collection, "r"), ["one.rows/a"]);
  assert.deepEqual(causesOf(graph, one.collection, "s"), ["one.rows/c"]);
});

Deno.test("a resource does not change without the edits that its change is attributed to", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const rest = { host: fc.constantFrom("h", "i"), text: fc.constantFrom(1, 2) };
  // A row keeps its scope, so that it does not move along with the list of scopes and is not seen by both.
  const row = (key: string) => fc.record({ scope: fc.constant(key < "c" ? "x" : "y"), ...rest });
  const service = (key: string) =>
    fc.tuple(fc.constant("services"), fc.constant(key), fc.option(row(key), { nil: undefined }));
  const edit = fc.oneof(
    key.chain(service),
    fc.tuple(fc.constant("routes"), key, fc.option(fc.nat(99), { nil: undefined })),
    fc.tuple(fc.constant("settings"), fc.constant("here"), fc.subarray(["x", "y"])),
  );
  const rows = (edits: readonly (readonly [string, string, unknown])[]) =>
    Object.fromEntries(edits.map(([table, key, row]) => [`${table}/${key}`, row]));
  fc.assert(
    fc.property(
      fc.array(edit, { maxLength: 8 }),
      fc.array(edit, { minLength: 1, maxLength: 5 }),
      (start, edits) => {
        const world = town();
        apply(world, { "settings/here": ["x"], ...rows(start) });
        world.graph.publish();
        const before = new Map(world.collection.content);
        apply(world, rows(edits));
        world.graph.publish();
        const from = world.graph.published;
        for (const { name } of world.collection.since(from - 1) ?? []) {
          const causes = causesOf(world.graph, world.collection, name);
          assert.notEqual(causes.length, 0, name);
          const others = rows(edits);
          for (const cause of causes) assert.ok(delete others[cause], cause);
          const other = town();
          apply(other, { "settings/here": ["x"], ...rows(start), ...others });
          other.graph.publish();
          const version = other.collection.get(name)?.version;
          assert.equal(version, before.get(name)?.version, `${name} but for ${causes}`);
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("a name with a resource and a tombstone serves the resource", () => {
  const graph = createGraph();
  const one = written(graph, "one");
  one.collection.retain();
  const standing = () => {
    graph.publish();
    return [one.collection.get("r")?.version, one.collection.cellOf("r")?.key];
  };
  one.write({ a: "-r", b: "r@2" });
  assert.deepEqual(standing(), ["2", "b"]);
  one.write({ c: "r@3" });
  assert.deepEqual(standing(), ["2", "b"]);
  assert.deepEqual(one.collection.conflicts.get("r"), ["a", "c"]);
  one.write({ b: "-r" });
  assert.deepEqual(standing(), ["3", "c"]);
  one.write({ c: undefined });
  assert.deepEqual(standing(), [tombstone("r").version, "a"]);
  one.write({ a: "r@1" });
  assert.deepEqual(standing(), ["1", "a"]);
});
