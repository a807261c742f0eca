/** Faults outside of cells: placements, keys, watchers, those who listen for faults. */
import assert from "node:assert/strict";
import { noticed, summary } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, DependencyFault } from "../mod.ts";

Deno.test("a placement that throws leaves the row where it was", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<string>("rows");
  const index = graph.index(rows, "index", { bucket: text, member: text }, (bucket, key) => {
    if (bucket === "bad") throw new Error("nowhere");
    return [[bucket, key]];
  });
  const set = (key: string, bucket: string) =>
    graph.transaction((tx) => {
      tx.set(rows, key, bucket);
      tx.set(rows, "other", bucket);
    });
  set("a", "x");
  set("a", "bad");
  assert.deepEqual([index.peek("x"), rows.peek("a")], [["a", "other"], "bad"]);
  assert.deepEqual(graph.faults().map(summary)[0], {
    cell: "index/a",
    since: 2,
    lastGood: true,
    inputs: ["rows/a"],
  });
  graph.transaction((tx) => tx.delete(rows, "a"));
  set("b", "y");
  assert.deepEqual([index.peek("x"), index.peek("y"), graph.faults()], [[], ["b", "other"], []]);
  assert.deepEqual(notices, ["index/a", "index/other", "-index/a", "-index/other"]);
});

Deno.test("a key function or watcher that throws is a fault of its own", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<number>("rows");
  const value = graph.derive("value", text, (read, key) => read.get(rows, key) ?? 0);
  let seen = 0;
  graph.watch(value, "a", (n) => {
    if (n === 1) throw new Error("one is too much");
  });
  graph.watch(value, "a", () => seen++);
  const none = graph.derive<readonly never[], string>("none", text, () => []);
  const odd = graph.collection("odd", () => ({
    members: { list: ["good", "bad"] },
    resources: none,
    keyOf: (member) => {
      if (member === "bad") throw new Error("no key");
      return member;
    },
  }));
  assert.equal(odd.size, 0);
  graph.transaction((tx) => tx.set(rows, "a", 1));
  graph.publish();
  assert.equal(seen, 1, "the other watcher is told");
  graph.transaction((tx) => tx.set(rows, "a", 2));
  graph.publish();
  assert.deepEqual(notices, ["odd/bad", "value (watch)/a", "-value (watch)/a"]);
});

Deno.test("a listener may use the graph, and what it throws stays with it", () => {
  const seen: unknown[] = [];
  const graph = createGraph({
    onFault: (_, key, fault) => {
      if (fault === undefined) return;
      seen.push(graph.peek(other, key));
      throw new Error("the listener's own affair");
    },
  });
  const other = graph.derive("other", text, (_, key) => `about ${key}`);
  const bad = graph.derive("bad", text, () => {
    throw new Error("bad");
  });
  assert.throws(() => graph.peek(bad, "a"), DependencyFault);
  assert.deepEqual(seen, ["about a"]);
});

Deno.test("a member without a key is listed until it goes", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<readonly string[]>("rows");
  const list = graph.derive("list", text, (read, key) => read.get(rows, key) ?? []);
  const none = graph.derive<readonly never[], string>("none", text, () => []);
  const odd = graph.collection("odd", () => ({
    members: { listFrom: [list, "members"] },
    resources: none,
    keyOf: () => {
      throw new Error("no key");
    },
  }));
  const set = (...members: readonly string[]) => {
    graph.transaction((tx) => tx.set(rows, "members", members));
    graph.publish();
  };
  set("a", "b");
  assert.equal(odd.size, 0);
  set("b");
  assert.deepEqual(notices, ["odd/a", "odd/b", "-odd/a"]);
  graph.evict({ collections: 0, cells: 0 });
  assert.deepEqual([graph.faults(), notices.at(-1)], [[], "-odd/b"]);
});
