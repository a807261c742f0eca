import assert from "node:assert/strict";
import { noticed, shown, summary, written } from "../fixture.ts";
import { text as textKeys } from "../../../kit/key/mod.ts";
import { createGraph, DependencyFault } from "../mod.ts";

Deno.test("a function that throws keeps its last good value, and heals", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<number>("rows");
  const half = graph.derive("half", textKeys, (read, key) => {
    const n = read.get(rows, key) ?? 0;
    if (n % 2 === 1) throw new Error(`${n} is odd`);
    return n / 2;
  });
  const text = graph.derive("text", textKeys, (read, key) => `${read.get(half, key)}!`);
  const set = (n: number) => {
    graph.transaction((tx) => tx.set(rows, "a", n));
    return graph.peek(text, "a");
  };
  assert.equal(set(4), "2!");
  assert.equal(set(5), "2!");
  assert.equal(set(7), "2!");
  const [fault] = graph.faults();
  assert.deepEqual(summary(fault), {
    cell: "half/a",
    since: 2,
    lastGood: true,
    inputs: ["rows/a"],
  });
  assert.match(String(fault?.error), /7 is odd/);
  assert.equal(graph.stats().faults, 1);
  assert.equal(set(10), "5!");
  assert.deepEqual([graph.faults(), notices], [[], ["half/a", "-half/a"]]);
});

Deno.test("without a last good value the readers fail too, and name the cell that caused it", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<number>("rows");
  const root = graph.derive("root", textKeys, (read, key) => {
    if (read.get(rows, key) === undefined) throw new Error("no such row");
    return "fine";
  });
  const leaf = graph.derive("leaf", textKeys, (read, key) => read.get(root, key));
  const brave = graph.derive("brave", textKeys, (read, key) => {
    try {
      return read.get(root, key);
    } catch (error) {
      assert.ok(error instanceof DependencyFault);
      return `${error.table} failed`;
    }
  });
  assert.throws(() => graph.peek(leaf, "a"), (error: unknown) => {
    assert.ok(error instanceof DependencyFault);
    assert.deepEqual([error.code, error.table, error.key], ["graph-dependency-fault", "leaf", "a"]);
    return true;
  });
  assert.equal(graph.peek(brave, "a"), "root failed");
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.deepEqual([graph.peek(leaf, "a"), graph.peek(brave, "a")], ["fine", "fine"]);
  assert.deepEqual(notices, ["root/a", "leaf/a", "-root/a", "-leaf/a"]);
});

Deno.test("a fault without readers is repaired at publication", () => {
  const { graph } = noticed();
  const { collection, write } = written(graph, "c");
  write({ m: "a@throw", n: "b" });
  assert.deepEqual(shown(collection.content.values()), ["b@b"]);
  write({ m: undefined });
  assert.equal(graph.faults().length, 1, "not looked at yet");
  graph.publish();
  assert.deepEqual(graph.faults(), []);
});

Deno.test("a member that fails keeps its last good resources; the others go on", () => {
  const { graph } = noticed();
  const { collection, write } = written(graph, "c");
  write({ m: "a@1", n: "b@1" });
  graph.publish();
  void collection.size;
  write({ m: "a@throw", n: "b@2" });
  graph.publish();
  assert.deepEqual(shown(collection.content.values()), ["a@1", "b@2"]);
  assert.deepEqual(graph.faults().map((fault) => fault.inputs), [["c.rows/m"]]);
  write({ m: "a@3" });
  graph.publish();
  assert.deepEqual(shown(collection.content.values()), ["a@3", "b@2"]);
});

Deno.test("a watch of a cell that fails has no value until it works", () => {
  const { graph } = noticed();
  const rows = graph.input<number>("rows");
  const value = graph.derive("value", textKeys, (read, key) => {
    const n = read.get(rows, key);
    if (n === undefined) throw new Error("nothing yet");
    return n;
  });
  const notified: number[] = [];
  const watch = graph.watch(value, "a", (n) => notified.push(n));
  assert.throws(() => watch.value, DependencyFault);
  graph.transaction((tx) => tx.set(rows, "a", 3));
  graph.publish();
  assert.deepEqual([watch.value, notified], [3, [3]]);
});

Deno.test("an equality that throws loses the cut-off and nothing else", () => {
  const graph = createGraph();
  const equal = () => {
    throw new Error("incomparable");
  };
  const rows = graph.input<number>("rows", { equal });
  const value = graph.derive("value", textKeys, (read, key) => read.get(rows, key), { equal });
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.equal(graph.peek(value, "a"), 1);
  assert.equal(graph.transaction((tx) => tx.set(rows, "a", 1)), 2);
  assert.equal(graph.peek(value, "a"), 1);
  assert.deepEqual(graph.faults(), []);
});
