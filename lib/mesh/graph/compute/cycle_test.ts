import assert from "node:assert/strict";
import { noticed, shown, written } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, DependencyFault, type Derived } from "../mod.ts";

function circle() {
  const { graph, notices } = noticed();
  const links = graph.input<string>("links");
  const reach: Derived<string> = graph.derive("reach", text, (read, key) => {
    const next = read.get(links, key);
    return next === undefined ? key : `${key}>${read.get(reach, next)}`;
  });
  const link = (from: string, to: string | undefined) =>
    graph.transaction((tx) => to === undefined ? tx.delete(links, from) : tx.set(links, from, to));
  const faulty = () => graph.faults().map((fault) => fault.key).sort();
  return { graph, notices, links, reach, link, faulty };
}

for (const entry of ["a", "b", "c"]) {
  Deno.test(`all cells of a circle take the fault, entered at ${entry}`, () => {
    const { graph, reach, link, faulty } = circle();
    graph.transaction(() => {});
    link("c", "a");
    link("b", "c");
    link("a", "b");
    assert.throws(() => graph.peek(reach, entry), /reach\/a → reach\/b → reach\/c → reach\/a/);
    assert.deepEqual(faulty(), ["a", "b", "c"]);
    link("b", undefined);
    assert.equal(graph.peek(reach, "c"), "c>a>b");
    graph.publish();
    assert.deepEqual(faulty(), []);
  });

  Deno.test(`a circle closed by an edit is found while verifying, from ${entry}`, () => {
    const { graph, reach, link, faulty } = circle();
    link("b", "c");
    link("a", "b");
    assert.equal(graph.peek(reach, "a"), "a>b>c");
    link("c", "a");
    const expected = { a: "a>b>c", b: "b>c", c: "c" }[entry];
    assert.equal(graph.peek(reach, entry), expected, "the last good value");
    assert.deepEqual(faulty(), ["a", "b", "c"]);
    link("c", "b");
    graph.publish();
    assert.deepEqual(faulty(), ["b", "c"], "the first is outside of it now");
    link("c", undefined);
    assert.equal(graph.peek(reach, "a"), "a>b>c");
    graph.publish();
    assert.deepEqual(faulty(), []);
  });
}

Deno.test("an edit elsewhere in a circle leaves it a circle", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const first: Derived<number> = graph.derive("first", text, (read) => {
    const next = read.get(second, "");
    return next + (read.get(rows, "first") ?? 0);
  });
  const second: Derived<number> = graph.derive("second", text, (read) => {
    if ((read.get(rows, "open") ?? 0) === 0) return 1;
    return read.get(first, "") + (read.get(rows, "second") ?? 0);
  });
  assert.equal(graph.peek(first, ""), 1);
  const set = (key: string, n: number) => graph.transaction((tx) => tx.set(rows, key, n));
  set("open", 1);
  for (const key of ["first", "second", "first"]) {
    assert.equal(graph.peek(first, ""), 1);
    assert.deepEqual(graph.faults().map((fault) => fault.table).sort(), ["first", "second"]);
    set(key, graph.revision);
  }
  set("open", 0);
  assert.equal(graph.peek(first, ""), 1 + 3, "the row as last written, at revision 3");
});

Deno.test("a circle longer than the native stack is found", () => {
  const { graph, links, reach, faulty } = circle();
  const length = 1000;
  graph.transaction((tx) => {
    for (let i = 0; i < length; i++) tx.set(links, `n${i}`, `n${(i + 1) % length}`);
  });
  assert.throws(() => graph.peek(reach, "n500"), DependencyFault);
  assert.equal(faulty().length, length);
});

Deno.test("a chain without end is cut, and does not take the engine with it", () => {
  const graph = createGraph();
  const endless: Derived<number> = graph.derive("endless", text, (read, key) => {
    return read.get(endless, String(Number(key) + 1));
  });
  assert.throws(() => graph.peek(endless, "0"), DependencyFault);
  assert.equal(graph.peek(graph.derive("fine", text, () => 1), ""), 1);
});

Deno.test("a collection whose member reads it takes the fault; its other members are served", () => {
  const graph = createGraph();
  const rows = graph.input<boolean>("reading");
  const { collection, write } = written(graph, "c");
  const self = graph.derive<readonly never[], string>("self", text, (read, key) => {
    if (read.get(rows, key)) read.content(both);
    return [];
  });
  const mixed = graph.derive("mixed", text, (read, key) => {
    const own = [...read.content(collection).values()].filter((r) => r.name === key);
    return own.length > 0 ? own : read.get(self, key);
  });
  const both = graph.collection(
    "both",
    () => ({ members: { list: ["a", "x"] }, resources: mixed }),
  );
  write({ m: "a@1" });
  graph.transaction((tx) => tx.set(rows, "x", true));
  assert.deepEqual(shown(both.content.values()), ["a@1"]);
  const cells = () => graph.faults().map((fault) => `${fault.table}/${fault.key}`).sort();
  assert.deepEqual(cells(), ["both/", "mixed/x", "self/x"]);
  write({ m: "a@2" });
  graph.publish();
  assert.deepEqual([shown(both.content.values()), cells().length], [["a@2"], 3]);
  graph.transaction((tx) => tx.set(rows, "x", false));
  graph.publish();
  assert.deepEqual(cells(), []);
});
