/** Decisions are recorded on request, for the part that they are about. */
import assert from "node:assert/strict";
import { holdDecisions } from "../../../kit/base/mod.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, type Derived, integer, type Read } from "../mod.ts";

function world() {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  let computed = 0;
  const inner = graph.derive("inner", text, (read, key) => {
    computed++;
    const row = read.get(rows, key) ?? 0;
    read.decide?.({ group: "row", source: "object", object: key, value: row });
    return row;
  });
  const outer = graph.derive("outer", integer, (read, count) => {
    let sum = read.get(inner, "quiet");
    for (let i = 0; i < count; i++) sum += read.within("parts", `${i}`).follow(inner, "a");
    read.decide?.({ group: "sum", source: "built-in", value: sum });
    return sum;
  });
  graph.transaction((tx) => {
    tx.set(rows, "a", 3);
    tx.set(rows, "quiet", 4);
  });
  return { graph, rows, inner, outer, computed: () => computed };
}

const ROW = { group: "row", source: "object", object: "a", value: 3 } as const;

Deno.test("an explanation has the decisions of a cell and of those that it follows", () => {
  const { graph, outer, computed } = world();
  assert.equal(graph.peek(outer, 2), 10);
  const before = computed();
  assert.deepEqual(graph.explain({ table: "outer", key: "2" }), {
    value: 10,
    decisions: [
      { of: ["parts", "0"], ...ROW },
      { of: ["parts", "1"], ...ROW },
      { of: [], group: "sum", source: "built-in", value: 10 },
    ],
  });
  // Only the followed cells run again, and their results are not kept.
  assert.equal(computed() - before, 2);
  assert.equal(graph.explain({ table: "nothing", key: "2" }), undefined);
  assert.throws(() => graph.explain({ table: "outer", key: "two" }), /not a whole number/);
});

Deno.test("a cell whose value has decisions in it changes with them", () => {
  const { graph, rows, outer } = world();
  const shown = graph.derive(
    "shown",
    integer,
    (read, count) =>
      read.explain(outer, count).decisions.map(({ of, value }) => `${of.join(".")}=${value}`),
  );
  assert.deepEqual(graph.peek(shown, 1), ["parts.0=3", "=7"]);
  graph.transaction((tx) => tx.set(rows, "a", 5));
  assert.deepEqual(graph.peek(shown, 1), ["parts.0=5", "=9"]);
  assert.deepEqual(graph.origins("shown", "1"), ["rows/a", "rows/quiet"]);
});

Deno.test("nothing is recorded while values are computed", () => {
  const graph = createGraph();
  const seen: unknown[] = [];
  const table: Derived<number> = graph.derive("table", text, (read, key) => {
    const inside: Read = read.within("part").mapped((decision) => decision);
    const { log, release } = holdDecisions(read);
    seen.push(read.decide, inside === read, log === read);
    log.decide?.({ group: "held", source: "built-in" });
    release("named");
    return key.length;
  });
  graph.peek(table, "key");
  assert.deepEqual(seen, [undefined, true, true]);
  assert.deepEqual(graph.explain({ table: "table", key: "key" })?.decisions, [
    { of: ["named"], group: "held", source: "built-in" },
  ]);
});

Deno.test("decisions are changed and dropped on their way", () => {
  const { graph, inner } = world();
  const renamed = graph.derive(
    "renamed",
    text,
    (read, key) =>
      read.mapped((decision) => decision.value === 3 ? { ...decision, of: ["three"] } : undefined)
        .follow(inner, key),
  );
  const decisions = (key: string) => graph.explain({ table: "renamed", key })?.decisions;
  assert.deepEqual(decisions("a"), [{ of: ["three"], ...ROW }]);
  assert.deepEqual(decisions("quiet"), []);
  assert.equal(graph.peek(renamed, "a"), 3);
});

Deno.test("cells that follow each other in a circle are refused", () => {
  const graph = createGraph();
  const ring: Derived<number> = graph.derive(
    "ring",
    text,
    (read, key) => 1 + read.follow(ring, key),
  );
  assert.throws(
    () => graph.explain({ table: "ring", key: "a" }),
    /More than 100 computations take over/,
  );
  assert.throws(() => graph.peek(ring, "a"), /depends on itself/);
});
