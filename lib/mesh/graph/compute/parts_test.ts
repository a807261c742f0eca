import assert from "node:assert/strict";
import { flatMapInParts } from "../../../kit/base/mod.ts";
import { text } from "../../../kit/key/mod.ts";
import { resource, shown } from "../fixture.ts";
import { createGraph, type Derived, type Graph, type Read, type Resource } from "../mod.ts";

/** A graph whose clock moves with each look, so that a piece of 0 ms is one part. */
function ticking(millis = 1): Graph {
  let time = 0;
  return createGraph({ now: () => time += millis });
}

const MANY = Array.from({ length: 1_000 }, (_, i) => `${i}`);

/** A value of 1,000 rows that is computed in four parts, and counts of what was computed. */
function longValue(graph: Graph) {
  const rows = graph.input<string>("rows");
  const counts = { runs: 0, items: 0 };
  const compute = (read: Read): string[] => {
    counts.runs++;
    return flatMapInParts(read, MANY, (key) => {
      counts.items++;
      return [read.get(rows, key) ?? ""];
    });
  };
  const long: Derived<readonly string[]> = graph.derive("long", text, compute);
  const resources: Derived<readonly Resource[]> = graph.derive(
    "resources",
    text,
    (read, key) => [resource(key, read.get(long, key).join(""))],
  );
  graph.transaction((tx) => {
    for (const key of MANY) tx.set(rows, key, "a");
  });
  return { rows, long, resources, counts };
}

Deno.test("a publication's work is done ahead part by part, each part once", () => {
  const graph = ticking();
  const { rows, resources, counts } = longValue(graph);
  const all = graph.collection("all", () => ({ members: { list: ["x"] }, resources }));
  all.retain();
  while (!graph.prepare(0));
  assert.deepEqual(counts, { runs: 4, items: 1_000 });
  graph.publish();
  graph.transaction((tx) => tx.set(rows, "999", "b"));
  assert.equal(graph.warm(0), false, "the parts take more than one piece");
  while (!graph.warm(0));
  assert.equal(counts.items, 2_000);
  graph.publish();
  assert.deepEqual(counts, { runs: 8, items: 2_000 }, "the publication took what was there");
  assert.deepEqual(shown(all.content.values()), [`x@${"a".repeat(999)}b`]);
});

Deno.test("rows that were read in an earlier piece are dependencies", () => {
  const graph = ticking();
  const { rows, long } = longValue(graph);
  while (!graph.advance(long, "x", 0));
  for (const key of ["0", "500", "999"]) {
    graph.transaction((tx) => tx.set(rows, key, key));
    assert.equal(graph.peek(long, "x")[Number(key)], key);
  }
  assert.equal(graph.why("long", "x").length, 1_000);
});

Deno.test("an edit between two pieces begins the computation again", () => {
  const graph = ticking();
  const { rows, long, counts } = longValue(graph);
  assert.equal(graph.advance(long, "x", 0), false);
  graph.transaction((tx) => tx.set(rows, "0", "b"));
  while (!graph.advance(long, "x", 0));
  assert.equal(graph.peek(long, "x")[0], "b");
  assert.equal(counts.items, 1_256, "the first part twice");
});

Deno.test("parts inside parts are taken over with their outer part, and alone", () => {
  const graph = ticking();
  const seen: string[] = [];
  const part = (read: Read, name: string, inner: () => string = () => ""): string =>
    read.part(() => {
      const value = inner();
      seen.push(name);
      return name + value;
    });
  const nested: Derived<string> = graph.derive(
    "nested",
    text,
    (read) =>
      part(read, "a", () => part(read, "b") + part(read, "c")) +
      part(read, "d", () => part(read, "e")) + part(read, "f"),
  );
  while (!graph.advance(nested, "x", 0));
  assert.equal(graph.peek(nested, "x"), "abcdef");
  assert.deepEqual(seen, ["b", "c", "a", "e", "d", "f"]);
});

Deno.test("values that are asked for are computed at once", () => {
  const graph = ticking();
  const { long, counts } = longValue(graph);
  assert.equal(graph.peek(long, "x").length, 1_000);
  assert.deepEqual(counts, { runs: 1, items: 1_000 });
  assert.equal(graph.explain({ table: "long", key: "x" })?.value instanceof Array, true);
});

Deno.test("an audit skips a computation whose parts take too long", () => {
  for (const [millis, expected] of [[1, "right"], [20, "skipped"]] as const) {
    const graph = ticking(millis);
    const { long } = longValue(graph);
    graph.peek(long, "x");
    const { outcome, reason } = graph.audit("long", "x", { millis: 0 });
    assert.equal(outcome, expected);
    assert.equal(reason, expected === "right" ? undefined : "too large");
  }
});
