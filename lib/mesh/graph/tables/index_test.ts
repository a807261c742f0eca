import assert from "node:assert/strict";
import { createGraph } from "../mod.ts";
import { text } from "../../../kit/key/mod.ts";

interface Row {
  readonly colour: string;
  readonly size: number;
}

function coloured() {
  const graph = createGraph();
  const rows = graph.input<Row>("rows");
  const byColour = graph.index(
    rows,
    "byColour",
    { bucket: text, member: text },
    (row, key) => [[row.colour, key]],
  );
  const list = graph.derive("list", text, (read, colour) => read.members(byColour, colour).join());
  const any = graph.derive("any", text, (read, colour) => read.any(byColour, colour));
  const set = (key: string, colour: string, size = 0) =>
    graph.transaction((tx) => tx.set(rows, key, { colour, size }));
  return { graph, rows, byColour, list, any, set };
}

Deno.test("buckets follow their rows, empty ones too", () => {
  const { graph, rows, byColour, list, any, set } = coloured();
  assert.deepEqual([graph.peek(list, "red"), graph.peek(any, "red")], ["", false]);
  set("b", "red");
  set("a", "red");
  assert.deepEqual([graph.peek(list, "red"), graph.peek(any, "red")], ["a,b", true]);
  set("a", "blue");
  graph.transaction((tx) => tx.delete(rows, "b"));
  assert.deepEqual([graph.peek(list, "red"), graph.peek(any, "red")], ["", false]);
  assert.deepEqual(byColour.peek("blue"), ["a"]);
  assert.deepEqual(byColour.peek("never"), []);
});

const edits: readonly {
  readonly what: string;
  readonly edit: readonly (readonly [key: string, colour: string, size: number])[];
  readonly computed: { readonly list: number; readonly any: number };
}[] = [
  { what: "a row that keeps its place", edit: [["a", "red", 9]], computed: { list: 0, any: 0 } },
  { what: "one more member", edit: [["c", "red", 0]], computed: { list: 1, any: 0 } },
  { what: "another bucket", edit: [["c", "green", 0]], computed: { list: 0, any: 0 } },
  { what: "the first member", edit: [["c", "blue", 0]], computed: { list: 1, any: 1 } },
  {
    what: "two rows that change places",
    edit: [["a", "green", 0], ["b", "red", 0]],
    computed: { list: 1, any: 0 },
  },
];

for (const { what, edit, computed } of edits) {
  Deno.test(`an edit affects only the cells that read the buckets it changed: ${what}`, () => {
    const { graph, rows, list, any, set } = coloured();
    set("a", "red");
    set("b", "green");
    for (const colour of ["red", "blue"]) {
      graph.peek(list, colour);
      graph.peek(any, colour);
    }
    graph.resetStats();
    graph.transaction((tx) => {
      for (const [key, colour, size] of edit) tx.set(rows, key, { colour, size });
    });
    for (const colour of ["red", "blue"]) {
      graph.peek(list, colour);
      graph.peek(any, colour);
    }
    assert.deepEqual(graph.stats().computedByTable, computed);
  });
}

Deno.test("a bucket that is left and entered in one transaction has not changed", () => {
  const graph = createGraph();
  const rows = graph.input<string>("rows");
  const index = graph.index(
    rows,
    "index",
    { bucket: text, member: text },
    (bucket) => [[bucket, "shared"]],
  );
  const list = graph.derive("list", text, (read, bucket) => read.members(index, bucket));
  graph.transaction((tx) => tx.set(rows, "a", "x"));
  graph.peek(list, "x");
  graph.resetStats();
  graph.transaction((tx) => {
    tx.delete(rows, "a");
    tx.set(rows, "b", "x");
  });
  assert.deepEqual(graph.peek(list, "x"), ["shared"]);
  assert.equal(graph.stats().computed, 0);
});

Deno.test("an index made late takes the rows that are there", () => {
  const { graph, rows, set } = coloured();
  set("a", "red", 3);
  const bySize = graph.index(
    rows,
    "bySize",
    { bucket: text, member: text },
    (row, key) => [[String(row.size), key]],
  );
  assert.deepEqual(bySize.peek("3"), ["a"]);
  set("a", "red", 4);
  assert.deepEqual([bySize.peek("3"), bySize.peek("4")], [[], ["a"]]);
});

Deno.test("members stay sorted through many moves, and a list once read does not change", () => {
  const { graph, rows, byColour, list, set } = coloured();
  const names = Array.from({ length: 400 }, (_, i) => `m${(i * 37) % 400}`);
  graph.transaction((tx) => {
    for (const name of names) tx.set(rows, name, { colour: "red", size: 0 });
  });
  const first = byColour.peek("red");
  assert.deepEqual(first, [...names].sort());
  for (const [i, name] of names.entries()) {
    set(name, i % 3 === 0 ? "red" : "blue", 1);
    if (i % 7 === 0) graph.peek(list, "red");
    const expected = names.filter((other) => rows.peek(other)!.colour === "red").sort();
    if (i % 13 === 0) assert.deepEqual(byColour.peek("red"), expected);
  }
  assert.equal(first.length, 400);
  assert.throws(() => (first as string[]).push("x"), TypeError);
});
