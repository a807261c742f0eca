/**
 * The cost ledger: own time by cell and table, the work of edits by row.
 */
import assert from "node:assert/strict";
import { createGraph } from "../mod.ts";
import { text } from "../../../kit/key/mod.ts";

/** A chain of two tables on a clock that each computation moves on: inner by 1 ms, outer by 2. */
function chain(costLimit?: number) {
  let time = 0;
  const graph = createGraph({ now: () => time, ...(costLimit === undefined ? {} : { costLimit }) });
  const rows = graph.input<number>("rows");
  const inner = graph.derive("inner", text, (read, key) => {
    time += 1;
    return read.get(rows, key) ?? 0;
  });
  const outer = graph.derive("outer", text, (read, key) => {
    time += 2;
    return key.split("+").reduce((sum, part) => sum + read.get(inner, part), 0);
  });
  const write = (edits: Readonly<Record<string, number>>) =>
    graph.transaction((tx) => {
      for (const [key, row] of Object.entries(edits)) tx.set(rows, key, row);
    });
  return { graph, inner, outer, write };
}

Deno.test("a cell is charged its own time, a table that of its cells", () => {
  const { graph, outer, write } = chain();
  write({ a: 1, b: 1 });
  graph.peek(outer, "a+b");
  write({ b: 2 });
  graph.peek(outer, "a+b");
  graph.peek(outer, "b");
  const { tables } = graph.costs({ top: 1 });
  assert.deepEqual(tables, [
    {
      table: "outer",
      cells: 2,
      micros: 6000,
      computed: 3,
      top: [{ key: "a+b", micros: 4000, computed: 2 }],
    },
    {
      table: "inner",
      cells: 2,
      micros: 3000,
      computed: 3,
      top: [{ key: "b", micros: 2000, computed: 2 }],
    },
  ]);
});

Deno.test("the work of a publication is booked on the rows edited, in equal parts", () => {
  const { graph, outer, write } = chain();
  write({ a: 1, b: 1 });
  graph.watch(outer, "a+b", () => {});
  graph.publish();
  write({ a: 2 });
  graph.publish();
  graph.peek(outer, "b");
  write({ a: 3, b: 3 });
  graph.publish();
  const { inputs, unattributed } = graph.costs();
  // Together 4 ms and 3 cells; then 3 and 2; a query of 2 and 1; then 4 and 3: cells that are only
  // queried wait.
  assert.deepEqual(inputs, [
    { table: "rows", key: "a", publications: 3, micros: 7000, computed: 5 },
    { table: "rows", key: "b", publications: 2, micros: 4000, computed: 3 },
  ]);
  assert.deepEqual(unattributed, { micros: 2000, computed: 1 });
  graph.resetStats();
  assert.deepEqual(graph.costs().inputs, []);
});

Deno.test("accounts are limited, and the most expensive are removed last", () => {
  const { graph, outer, write } = chain(4);
  for (const key of ["a", "b", "c", "d", "e", "f"]) graph.watch(outer, key, () => {});
  graph.publish();
  for (let n = 1; n < 4; n++) {
    write({ a: n });
    graph.publish();
  }
  for (const key of ["b", "c", "d", "e", "f"]) {
    write({ [key]: 1 });
    graph.publish();
  }
  const { inputs } = graph.costs();
  assert.ok(inputs.length <= 4, `${inputs.length} accounts`);
  assert.equal(inputs[0]?.key, "a");
});

Deno.test("the cost of a key is the sum over its cells in all tables", () => {
  const { graph, outer, write } = chain();
  write({ a: 1, b: 1 });
  graph.peek(outer, "a");
  graph.peek(outer, "b");
  write({ a: 2 });
  graph.peek(outer, "a");
  assert.deepEqual(graph.costs({ keys: ["a", "none"] }).keys, [
    { key: "a", micros: 6000, computed: 4 },
    { key: "none", micros: 0, computed: 0 },
  ]);
});
