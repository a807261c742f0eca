import assert from "node:assert/strict";
import { resource, shown, written } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, type Derived } from "../mod.ts";

const ALL = { collections: 0, cells: 0 };

Deno.test("orphan cells are evicted with the cells that only they read; used cells stay", () => {
  const graph = createGraph();
  const kept = written(graph, "kept");
  const orphan = written(graph, "orphan");
  kept.collection.retain();
  for (const { write } of [kept, orphan]) write({ m: "a", n: "b" });
  assert.equal(kept.collection.size + orphan.collection.size, 4);
  assert.deepEqual(graph.evict(ALL), { collections: 1, cells: 2, done: true });
  assert.equal(graph.stats().cells, 2);
  kept.collection.release();
  assert.deepEqual(graph.evict(ALL), { collections: 1, cells: 2, done: true });
  assert.equal(graph.stats().cells, 0);
});

Deno.test("an evicted collection is rebuilt for its remaining holders", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  write({ m: "a@1" });
  const view = graph.view([collection]);
  assert.equal(view.size, 1);
  graph.evict(ALL);
  write({ m: "a@2", n: "b@1" });
  assert.equal(graph.publish().size, 0, "an evicted collection is not kept up");
  assert.deepEqual(shown(view.entries()), ["a@2", "b@1"]);
  assert.equal(collection.since(1), undefined, "the old log is gone");
  write({ n: undefined });
  assert.deepEqual(graph.publish(), new Set([collection]));
  assert.deepEqual(shown(view.entries()), ["a@2"]);
  const again = graph.collection("c", () => assert.fail("it has its name again"));
  assert.equal(again, collection);
  assert.notEqual(graph.view([collection]), view, "views go with their layers");
});

Deno.test("a collection that a cell reads stays until the cell goes", () => {
  const graph = createGraph();
  const { collection, write } = written(graph, "c");
  write({ m: "a" });
  const size = graph.derive("size", text, (read) => read.content(collection).size);
  const watch = graph.watch(size, "", () => {});
  assert.deepEqual(graph.evict(ALL), { collections: 0, cells: 0, done: true });
  watch.close();
  assert.deepEqual(graph.evict(ALL), { collections: 1, cells: 2, done: true });
});

Deno.test("the bound keeps the youngest; a chain goes from its end", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const chain: Derived<number> = graph.derive("chain", text, (read, key) => {
    return key === "0" ? read.get(rows, "") ?? 0 : read.get(chain, String(Number(key) - 1));
  });
  const single = graph.derive("single", text, (_, key) => key);
  graph.peek(chain, "9");
  for (const key of ["a", "b", "c"]) graph.peek(single, key);
  assert.deepEqual(graph.evict({ collections: 0, cells: 4 }), {
    collections: 0,
    cells: 0,
    done: true,
  });
  // The chain's end is the oldest; as it goes its next becomes the youngest.
  graph.evict({ collections: 0, cells: 2 });
  const { cells } = graph.stats();
  assert.equal(graph.evict(ALL).cells, cells);
  assert.deepEqual([graph.peek(chain, "9"), graph.peek(single, "a")], [0, "a"]);
});

Deno.test("a missing row keeps no state after its last reader is gone", () => {
  const graph = createGraph();
  const rows = graph.input<string>("rows");
  const index = graph.index(
    rows,
    "index",
    { bucket: text, member: text },
    (row, key) => [[row, key]],
  );
  const asks = graph.derive("asks", text, (read, key) => [
    read.get(rows, key),
    read.members(index, key),
    read.any(index, key),
  ]);
  for (let i = 0; i < 50; i++) graph.peek(asks, `no${i}`);
  type Dump = { inputs: { rows: object }; indexes: { index: object } };
  const count = () => {
    const { inputs, indexes } = graph.dump() as Dump;
    return [Object.keys(inputs.rows).length, Object.keys(indexes.index).length];
  };
  assert.deepEqual(count(), [50, 50]);
  graph.evict(ALL);
  assert.deepEqual(count(), [0, 0]);
});

Deno.test("an absence that found a new reader is still followed", () => {
  const graph = createGraph();
  const rows = graph.input<string>("rows");
  const index = graph.index(
    rows,
    "index",
    { bucket: text, member: text },
    (row, key) => [[row, key]],
  );
  const follows = graph.derive("follows", text, (read, key) => {
    const target = read.get(rows, key);
    if (target === undefined) return "nobody";
    return `${read.get(rows, target)} ${read.members(index, `to ${target}`)}`;
  });
  const set = (key: string, row: string) => graph.transaction((tx) => tx.set(rows, key, row));
  set("a", "gone");
  assert.equal(graph.peek(follows, "a"), "undefined ");
  // The first reader lets go of it and another takes it up, before anything is swept.
  set("a", "else");
  set("b", "gone");
  graph.peek(follows, "a");
  assert.equal(graph.peek(follows, "b"), "undefined ");
  graph.publish();
  set("gone", "here");
  assert.equal(graph.peek(follows, "b"), "here ");
  set("c", "to gone");
  assert.equal(graph.peek(follows, "b"), "here c");
});

Deno.test("a fault that is evicted is not listed any more", () => {
  const notices: string[] = [];
  const graph = createGraph({
    onFault: (_, key, fault) => notices.push(fault === undefined ? `-${key}` : key),
  });
  const { collection, write } = written(graph, "c");
  write({ m: "a@throw" });
  assert.equal(collection.size, 0);
  assert.equal(graph.faults().length, 1);
  graph.evict(ALL);
  assert.deepEqual([graph.faults(), notices], [[], ["m", "-m"]]);
});

Deno.test("a recently read cell stays longer than one read earlier", () => {
  const graph = createGraph();
  const single = graph.derive("single", text, (_, key) => key);
  for (const key of ["a", "b", "a"]) graph.peek(single, key);
  graph.evict({ collections: 0, cells: 1 });
  graph.resetStats();
  graph.peek(single, "a");
  assert.equal(graph.stats().computed, 0);
});

Deno.test("idle cells are kept up to a number of bytes, and the least recently used are evicted first", () => {
  const graph = createGraph();
  const parts = ["one", "two", "three"].map((name) => written(graph, name));
  const bytes = () => graph.stats().idle.bytes;
  for (const { write, collection } of parts) {
    write({ m: "a@1234567", n: "b@1234567" });
    collection.retain();
  }
  graph.publish();
  assert.deepEqual([graph.stats().bytes, bytes()], [54, 0]);
  for (const { collection } of parts) collection.release();
  assert.deepEqual(graph.stats().idle, { collections: 3, cells: 0, bytes: 54 });
  const most = { collections: 9, cells: 9, bytes: 40 };
  // The cells of the oldest collection are its bytes: they go one by one until it is enough.
  assert.deepEqual(graph.evict(most), { collections: 1, cells: 2, done: true });
  assert.deepEqual(graph.stats().idle, { collections: 2, cells: 0, bytes: 36 });
  assert.deepEqual(graph.evict(most), { collections: 0, cells: 0, done: true });
  assert.deepEqual(graph.evict({ ...most, bytes: 0 }), { collections: 2, cells: 4, done: true });
  assert.deepEqual([bytes(), graph.stats().evicted], [0, 9]);
});

Deno.test("a removed member keeps its bytes until it is used again or evicted", () => {
  const graph = createGraph();
  const lists = graph.input<readonly string[]>("lists");
  const listed = graph.derive<readonly string[], string>(
    "listed",
    text,
    (read, key) => read.get(lists, key) ?? [],
  );
  const made = graph.derive("made", text, (_, key) => [resource(key, "12345")]);
  const collection = graph.collection("c", () => ({
    members: { listFrom: [listed, ""] },
    resources: made,
  }));
  const list = (members: readonly string[]) => {
    graph.transaction((tx) => tx.set(lists, "", members));
    graph.publish();
    return graph.stats().idle.bytes;
  };
  collection.retain();
  assert.deepEqual([["a", "b"], ["a"], ["a", "b"], []].map(list), [0, 7, 0, 14]);
  assert.deepEqual(graph.stats().reuse["made"], { made: 2, revived: 1 });
  const never = (name: string) => name === "made";
  assert.deepEqual(graph.evict({ collections: 9, cells: 9, never }), {
    collections: 0,
    cells: 2,
    done: true,
  });
  assert.equal(graph.stats().idle.bytes, 0);
});

Deno.test("many cells are evicted in pieces of some milliseconds", () => {
  let time = 0;
  const graph = createGraph({ now: () => ++time });
  const rows = graph.input<string>("rows");
  const values = graph.derive("values", text, (read, key) => read.get(rows, key));
  for (let i = 0; i < 1_000; i++) graph.peek(values, `${i}`);
  const pieces = [];
  do pieces.push(graph.evict({ collections: 0, cells: 100 }, 0)); while (!pieces.at(-1)!.done);
  assert.deepEqual(pieces.map(({ cells }) => cells), [256, 256, 256, 132]);
  assert.equal(graph.stats().cells, 100);
});
