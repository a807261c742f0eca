import assert from "node:assert/strict";
import { resource, shown } from "./fixture.ts";
import { createGraph, type Resource } from "./mod.ts";

/** A graph whose clock moves a millisecond with each look, so that a piece of 0 ms is one cell. */
function ticking() {
  let time = 0;
  return createGraph({ now: () => ++time });
}

Deno.test("what is kept and not built yet is worked ahead on, a little at a time", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const all = graph.index(rows, "all", (_, key) => [["all", key]]);
  const listed = graph.derive<readonly string[]>("listed", (read) => read.members(all, "all"));
  const resources = graph.derive<readonly Resource[]>(
    "resources",
    (read, key) => [resource(key, read.get(rows, key))],
  );
  graph.transaction((tx) => {
    for (const key of ["a", "b", "c"]) tx.set(rows, key, "1");
  });
  const byBucket = graph.collection("by bucket", () => ({
    members: { index: all, buckets: ["all"] },
    resources,
  }));
  const byList = graph.collection("by list", () => ({
    members: { listFrom: [listed, ""] },
    resources,
    keyOf: (member) => member.toUpperCase(),
  }));
  byBucket.retain();
  byList.retain();
  let pieces = 1;
  while (!graph.prepare(0)) pieces++;
  assert.ok(pieces > 5, `${pieces} pieces`);
  assert.equal(graph.stats().computedByTable.resources, 6);
  graph.resetStats();
  assert.deepEqual(shown(byBucket.content.values()), ["a@1", "b@1", "c@1"]);
  assert.deepEqual(shown(byList.content.values()).length, 3);
  assert.equal(graph.stats().computed, 0, "building took what was there");
});

Deno.test("an edit while a collection is being built is in it", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const resources = graph.derive<readonly Resource[]>("resources", (read, key) => {
    const version = read.get(rows, key);
    return version === undefined ? [] : [resource(key, version)];
  });
  const fixed = graph.collection("fixed", () => ({
    members: { list: ["a", "b"] },
    resources,
  }));
  graph.transaction((tx) => tx.set(rows, "a", "1"));
  fixed.retain();
  for (let pieces = 0; pieces < 2; pieces++) assert.equal(graph.prepare(0), false);
  graph.transaction((tx) => tx.set(rows, "a", "2"));
  while (!graph.prepare(0));
  assert.deepEqual(shown(fixed.content.values()), ["a@2"], "an edit in between is seen");
  assert.deepEqual([...graph.publish()], []);
});
