/**
 * Audits: what is kept is found right when it is, and found out when it is not.
 */
import assert from "node:assert/strict";
import { shown } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, type Graph, type Resource } from "../mod.ts";

/** Doubles of rows, sums of all doubles, and resources that tell them. */
function sums() {
  let time = 0;
  const graph = createGraph({ now: () => time++ });
  const rows = graph.input<number>("rows");
  const all = graph.index(rows, "all", { bucket: text, member: text }, (_, key) => [["all", key]]);
  const double = graph.derive("double", text, (read, key) => {
    const row = read.get(rows, key) ?? 0;
    if (row < 0) throw new Error("negative");
    return { value: row * 2 };
  });
  const sum = graph.derive(
    "sum",
    text,
    (read) => read.members(all, "all").reduce((n, key) => n + read.get(double, key).value, 0),
  );
  const resources = graph.derive<readonly Resource[], string>(
    "resources",
    text,
    (read, key) => {
      const version = `${read.get(double, key).value}/${read.get(sum, "")}`;
      return [{ name: key, version, bytes: new TextEncoder().encode(version) }];
    },
    { equal: (a, b) => a.length === b.length && a.every((r, i) => r.version === b[i]!.version) },
  );
  const collection = graph.collection("things", () => ({
    members: { index: all, buckets: ["all"] },
    resources,
  }));
  collection.retain();
  graph.transaction((tx) => ["a", "b", "c"].forEach((key, i) => tx.set(rows, key, i + 1)));
  graph.publish();
  return { graph, rows, double, sum, resources, collection };
}

function outcomes(graph: Graph, options: Parameters<Graph["audit"]>[2] = {}): string[] {
  return [...graph.auditable()].map(({ table, key }) => {
    const { outcome, reason } = graph.audit(table, key, options);
    return `${table}/${key} ${reason ?? outcome}`;
  }).filter((line) => !line.endsWith(" right"));
}

Deno.test("an audit of correct cells computes them and changes nothing", () => {
  const { graph } = sums();
  const before = { stats: graph.stats(), dump: graph.dump({ values: true }) };
  assert.equal([...graph.auditable()].length, 8);
  assert.deepEqual(outcomes(graph), []);
  assert.deepEqual({ stats: graph.stats(), dump: graph.dump({ values: true }) }, before);
  assert.equal(graph.audit("things", "").computed, 7);
});

Deno.test("a wrong value is found by its readers' audit, and all dependents are repaired", () => {
  const { graph, double, collection } = sums();
  const right = shown(collection.content.values());
  // Simulates a memory error: the value was modified.
  (graph.peek(double, "b") as { value: number }).value = 100;
  const found = graph.audit("resources", "b");
  assert.equal(found.outcome, "wrong");
  assert.deepEqual(found.wrong, [{ table: "double", key: "b" }]);
  const revision = graph.revision;
  const repaired = graph.audit("resources", "a", { repair: true });
  assert.deepEqual([repaired.outcome, repaired.wrong], ["repaired", found.wrong]);
  assert.equal(graph.revision, revision + 1);
  graph.publish();
  assert.deepEqual(shown(collection.content.values()), right);
  assert.deepEqual(outcomes(graph), []);
});

Deno.test("a resource whose bytes are not those of its version is found and replaced", () => {
  const { graph, resources, collection } = sums();
  graph.peek(resources, "a")[0]!.bytes[0] = 0;
  assert.equal(graph.audit("resources", "b").outcome, "right");
  const from = graph.published;
  assert.equal(graph.audit("resources", "a", { repair: true }).outcome, "repaired");
  graph.publish();
  assert.deepEqual(graph.published, from + 1);
  assert.equal(new TextDecoder().decode(collection.get("a")!.bytes), "2/12");
  assert.deepEqual(outcomes(graph), []);
});

Deno.test("a collection that lost a name is built anew, and its followers compare in full", () => {
  const { graph, collection } = sums();
  const view = graph.view([collection]);
  (collection.content as Map<string, Resource>).delete("b");
  assert.deepEqual(outcomes(graph), ["things/ wrong"]);
  const from = graph.published;
  assert.equal(graph.audit("things", "", { repair: true, computations: 0 }).outcome, "repaired");
  assert.ok(graph.publish().has(collection));
  assert.deepEqual(shown(view.entries()), ["a@2/12", "b@4/12", "c@6/12"]);
  assert.equal(view.since(from), undefined);
  assert.deepEqual(outcomes(graph), []);
});

Deno.test("an audit compares a cell with its neighbours where its rows are too many", () => {
  const { graph, sum } = sums();
  assert.equal(graph.audit("sum", "").from, "rows");
  const near = graph.audit("sum", "", { computations: 2 });
  assert.deepEqual([near.outcome, near.from, near.computed], ["right", "neighbours", 1]);
  const late = graph.audit("sum", "", { millis: 0 });
  assert.deepEqual([late.outcome, late.from], ["right", "neighbours"]);
  assert.equal(graph.peek(sum, ""), 12);
});

Deno.test("an audit skips pending, failed and missing cells", () => {
  const { graph, rows } = sums();
  graph.transaction((tx) => tx.set(rows, "a", 5));
  assert.equal(graph.audit("double", "a").reason, "out of date");
  assert.equal(graph.audit("double", "b").outcome, "right");
  assert.equal(graph.audit("double", "nobody").outcome, "skipped");
  graph.transaction((tx) => tx.set(rows, "a", -1));
  graph.publish();
  assert.equal(graph.audit("resources", "b").reason, "fault");
  assert.deepEqual(graph.audit("things", "").reason, "fault");
});
