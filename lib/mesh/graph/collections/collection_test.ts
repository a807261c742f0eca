import assert from "node:assert/strict";
import { logged, resource, shown, written } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { type Collection, createGraph, type Index, type Resource } from "../mod.ts";

Deno.test("content follows members; the log has the previous resources", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  write({ m: "a@1 b@1" });
  assert.deepEqual(shown(collection.content.values()), ["a@1", "b@1"]);
  assert.deepEqual([collection.size, collection.changedAt, logged(collection.since(1))], [
    2,
    1,
    [],
  ]);
  write({ m: "a@2", n: "c@1" });
  assert.deepEqual([...graph.publish()], [collection]);
  assert.deepEqual(logged(collection.since(1)), ["2 b 1", "2 a 1", "2 c -"]);
  write({ n: undefined });
  graph.publish();
  assert.deepEqual(logged(collection.since(2)), ["3 c 1"]);
  assert.deepEqual([...graph.publish()], [], "nothing has happened since");
});

Deno.test("the initial content of a collection is not in its log of changes", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  write({ m: "a" });
  write({ n: "b" });
  assert.equal(collection.since(1), undefined, "nobody can know what it was then");
  assert.deepEqual(collection.since(2), []);
  assert.equal(graph.publish().size, 0);
});

Deno.test("a name that moves between members with equal content has not changed", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  write({ m: "a@1", n: "b@1" });
  graph.publish();
  assert.equal(collection.get("a")?.version, "1");
  write({ m: "", n: "b@1 a@1" });
  assert.equal(graph.publish().size, 0);
  assert.deepEqual(collection.since(1), []);
});

const conflicts: readonly {
  readonly rows: Readonly<Record<string, string | undefined>>;
  readonly served: readonly string[];
  readonly rivals: Readonly<Record<string, readonly string[]>>;
}[] = [
  { rows: { m2: "a@2", m4: "a@4" }, served: ["a@2"], rivals: { a: ["m4"] } },
  { rows: { m1: "a@1" }, served: ["a@1"], rivals: { a: ["m2", "m4"] } },
  { rows: { m3: "a@3" }, served: ["a@1"], rivals: { a: ["m2", "m3", "m4"] } },
  { rows: { m2: "b@2" }, served: ["a@1", "b@2"], rivals: { a: ["m3", "m4"] } },
  { rows: { m3: "a@33" }, served: ["a@1", "b@2"], rivals: { a: ["m3", "m4"] } },
  { rows: { m1: undefined }, served: ["a@33", "b@2"], rivals: { a: ["m4"] } },
  { rows: { m3: "", m4: "a@4" }, served: ["a@4", "b@2"], rivals: {} },
  { rows: { m4: "b@4", m2: undefined }, served: ["b@4"], rivals: {} },
  { rows: { m4: "b@5 b@6" }, served: ["b@5"], rivals: {} },
];

Deno.test("the first member in order serves a contested name, and the others are listed", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  for (const { rows, served, rivals } of conflicts) {
    write(rows);
    graph.publish();
    assert.deepEqual(shown(collection.content.values()), served);
    assert.deepEqual(Object.fromEntries(collection.conflicts), rivals);
  }
});

Deno.test("a trimmed log reports older changes as unknown", () => {
  const graph = createGraph({ logLimit: 3 });
  const { collection, write } = written(graph, "c");
  write({ m: "a@0" });
  graph.publish();
  void collection.size;
  for (let version = 1; version <= 10; version++) {
    write({ m: `a@${version}` });
    graph.publish();
  }
  assert.equal(collection.since(7), undefined);
  assert.deepEqual(logged(collection.since(8)), ["9 a 7", "10 a 8", "11 a 9"]);
});

Deno.test("a log that is trimmed within a revision reports no part of it", () => {
  const graph = createGraph({ logLimit: 3 });
  const { collection, write } = written(graph, "c");
  void collection.size;
  write({ m: "a b" });
  graph.publish();
  write({ n: "c d" });
  graph.publish();
  assert.equal(collection.since(0), undefined);
  assert.deepEqual(logged(collection.since(1)), ["2 c -", "2 d -"]);
});

Deno.test("derived lists and derived buckets may change under a collection", () => {
  const graph = createGraph();
  const rows = graph.input<string>("rows");
  const choice = graph.input<readonly string[]>("choice");
  const byColour = graph.index(
    rows,
    "byColour",
    { bucket: text, member: text },
    (colour, key) => [[colour, key]],
  );
  const chosen = graph.derive("chosen", text, (read, key) => read.get(choice, key) ?? []);
  const resources = graph.derive<readonly Resource[], string>("resources", text, (read, key) => [
    resource(key, read.get(rows, key) ?? "none"),
  ]);
  const buckets = graph.collection("buckets", () => ({
    members: { index: byColour, bucketsFrom: [chosen, "colours"] },
    resources,
  }));
  const list = graph.collection("list", () => ({
    members: { listFrom: [chosen, "list"] },
    resources,
    keyOf: (member) => member.slice(1),
  }));
  const look = () => [...shown(buckets.content.values()), "|", ...shown(list.content.values())];
  graph.transaction((tx) => {
    tx.set(rows, "a", "red");
    tx.set(rows, "b", "blue");
    tx.set(choice, "colours", ["red"]);
    tx.set(choice, "list", ["-b", "-c"]);
  });
  assert.deepEqual(look(), ["a@red", "|", "b@blue", "c@none"]);
  graph.transaction((tx) => {
    tx.set(rows, "c", "green");
    tx.set(choice, "colours", ["red", "blue", "green"]);
    tx.set(choice, "list", ["-c"]);
  });
  assert.deepEqual(graph.publish(), new Set<Collection>([buckets, list]));
  assert.deepEqual(look(), ["a@red", "b@blue", "c@green", "|", "c@green"]);
  graph.transaction((tx) => tx.delete(choice, "colours"));
  graph.publish();
  assert.deepEqual(look(), ["|", "c@green"]);
  graph.transaction((tx) => tx.set(rows, "a", "blue"));
  assert.equal(graph.publish().size, 0, "buckets left behind are not followed");
});

Deno.test("a collection assembled from another is brought up after it, in one publication", () => {
  const graph = createGraph();
  const { collection: hosts, write } = written(graph, "hosts");
  const table = graph.derive<readonly Resource[], string>("table", text, (read) => [
    resource("table", shown(read.content(hosts).values()).join()),
  ]);
  const routes = graph.collection(
    "routes",
    () => ({ members: { list: ["all"] }, resources: table }),
  );
  write({ m: "a@1" });
  assert.equal(routes.get("table")?.version, "a@1");
  write({ m: "a@2", n: "b@1" });
  assert.deepEqual(graph.publish(), new Set([hosts, routes]));
  assert.equal(routes.get("table")?.version, "a@2,b@1");
});

Deno.test("content that a computation returns as it is, is a copy", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  const whole = graph.derive("whole", text, (read) => read.content(collection));
  const size = graph.derive("size", text, (read) => read.get(whole, "").size);
  write({ m: "a" });
  const before = graph.peek(whole, "");
  assert.equal(graph.peek(size, ""), 1);
  write({ n: "b" });
  assert.equal(graph.peek(size, ""), 2);
  assert.equal(before.size, 1);
});

Deno.test("a retained collection is built by the next publication, others at first use", () => {
  const graph = createGraph();
  const kept = written(graph, "kept");
  const idle = written(graph, "idle");
  kept.write({ m: "a" });
  idle.write({ m: "a" });
  kept.collection.retain();
  graph.publish();
  assert.deepEqual(graph.stats().computedByTable, { "kept.resources": 1, "idle.resources": 0 });
  assert.equal(idle.collection.size, 1);
  kept.collection.release();
  assert.throws(() => kept.collection.release(), /released more often/);
});

Deno.test("one name is one collection", () => {
  const graph = createGraph();
  const { collection } = written(graph, "c");
  const again = graph.collection("c", () => {
    throw new Error("the specification is not asked for again");
  });
  assert.equal(again, collection);
});

Deno.test("a member stays while any row places it, and any bucket has it", () => {
  const graph = createGraph();
  const rows = graph.input<readonly string[]>("rows");
  const index: Index = graph.index(
    rows,
    "index",
    { bucket: text, member: text },
    (buckets) => buckets.map((b) => [b, "shared"]),
  );
  const resources = graph.derive<readonly Resource[], string>(
    "one",
    text,
    (_, key) => [resource(key)],
  );
  const collection = graph.collection("c", () => ({
    members: { index, buckets: ["x", "y", "x"] },
    resources,
  }));
  const states: readonly (readonly [string, readonly string[], number])[] = [
    ["a", ["x"], 1],
    ["b", ["x", "y"], 1],
    ["a", [], 1],
    ["b", ["y"], 1],
    ["b", ["z"], 0],
  ];
  for (const [key, buckets, size] of states) {
    graph.transaction((tx) => tx.set(rows, key, buckets));
    graph.publish();
    assert.equal(collection.size, size, `${key} in ${buckets}`);
  }
});

Deno.test("the logs hold no more bytes of earlier resources than allowed, the oldest going first", () => {
  // Two entries, of 400 bytes each plus their content.
  const graph = createGraph({ logBytes: 808 });
  const one = written(graph, "one");
  const two = written(graph, "two");
  for (const { collection } of [one, two]) collection.retain();
  graph.publish();
  const held = () => graph.stats().logged;
  const lengths = (r: number) => [one, two].map(({ collection }) => collection.since(r)?.length);
  const steps: readonly (readonly [typeof one, string, number])[] = [
    [one, "a@1", 400],
    [two, "b@1", 800],
    [one, "a@2", 803],
    [two, "b@2", 806],
    [one, "a@3", 806],
    [one, "a@44444", 806],
    [one, "a@5", 407],
  ];
  for (const [which, row, bytes] of steps) {
    which.write({ m: row });
    graph.publish();
    assert.equal(held(), bytes, row);
    assert.equal(which.collection.since(graph.published - 1)?.length, 1, row);
  }
  assert.deepEqual(lengths(6), [1, 0]);
  assert.deepEqual([lengths(4), lengths(3)], [[undefined, 0], [undefined, undefined]]);
  for (const { collection } of [one, two]) collection.release();
  graph.evict({ collections: 0, cells: 0 });
  assert.equal(held(), 0);
});
