/** Feeds: rows that are computed, written into a table, and read like rows from outside. */
import assert from "node:assert/strict";
import {
  createGraph,
  type Derived,
  type Graph,
  type GraphOptions,
  type Input,
  text,
} from "../mod.ts";

const CODECS = { bucket: text, member: text };

/** Routes `gateway path…` are converted one by one, then merged by their gateway. */
function createRelay(options: GraphOptions = {}) {
  const graph = createGraph(options);
  const routes = graph.input<string>("routes");
  const converted = graph.input<readonly string[]>("converted");
  const merged = graph.input<string>("merged");
  const all = graph.index(routes, "routes.all", CODECS, (_, key) => [["all", key]]);
  const convert = graph.derive("convert", text, (read, key): ReadonlyMap<string, string[]> => {
    const words = (read.get(routes, key) ?? "").split(" ");
    if (words.includes("throw")) throw new Error("no route");
    return new Map([[key, words]]);
  });
  graph.feed(converted, { name: "converted routes", groups: all, rows: convert });
  const byGateway = graph.index(converted, "byGateway", CODECS, ([gateway], key) => [
    ["all", gateway!],
    [gateway!, key],
  ]);
  const merge = graph.derive("merge", text, (read, gateway): ReadonlyMap<string, string> => {
    const paths = read.members(byGateway, gateway)
      .flatMap((key) => read.get(converted, key)!.slice(1));
    return new Map([[gateway, paths.join()]]);
  });
  graph.feed(merged, { name: "merged routes", groups: byGateway, rows: merge });
  const served = graph.derive(
    "served",
    text,
    (read, key) => `<${read.get(merged, key) ?? "none"}>`,
  );
  return { graph, routes, merged, served };
}

function write(graph: Graph, table: Input<string>, rows: Record<string, string | undefined>): void {
  graph.transaction((tx) => {
    for (const [key, row] of Object.entries(rows)) {
      if (row === undefined) tx.delete(table, key);
      else tx.set(table, key, row);
    }
  });
}

function rowsOf(table: Input<string>): Record<string, string | undefined> {
  return Object.fromEntries(table.keys().map((key) => [key, table.peek(key)]));
}

Deno.test("rows flow through a chain of feeds, and go with their groups", () => {
  const { graph, routes, merged, served } = createRelay();
  write(graph, routes, { a: "x /1", b: "x /2", c: "y /3" });
  assert.deepEqual(rowsOf(merged), { x: "/1,/2", y: "/3" });
  write(graph, routes, { b: "y /2", c: undefined });
  assert.deepEqual(rowsOf(merged), { x: "/1", y: "/2" });
  assert.equal(graph.peek(served, "y"), "</2>");
  write(graph, routes, { b: undefined });
  assert.deepEqual(rowsOf(merged), { x: "/1" });
  assert.equal(graph.peek(served, "y"), "<none>");
});

Deno.test("one changed route computes one route and its gateway", () => {
  const { graph, routes } = createRelay();
  const many = Array.from({ length: 100 }, (_, i) => [`r${i}`, `g${i % 10} /${i}`]);
  write(graph, routes, Object.fromEntries(many));
  graph.publish();
  const computed = (): Record<string, number> =>
    Object.fromEntries(graph.costs().tables.map(({ table, computed }) => [table, computed]));
  const before = computed();
  write(graph, routes, { r7: "g7 /changed" });
  graph.publish();
  const after = computed();
  const more = Object.keys(after).map((table) => [table, after[table]! - before[table]!]);
  assert.deepEqual(Object.fromEntries(more), { convert: 1, merge: 1, served: 0 });
});

Deno.test("a row from outside wins, and a fed one takes its place afterwards", () => {
  const { graph, routes, merged } = createRelay();
  write(graph, routes, { a: "x /1" });
  write(graph, merged, { x: "mine" });
  assert.deepEqual([merged.peek("x"), merged.isFed("x")], ["mine", false]);
  write(graph, routes, { a: "x /2" });
  assert.equal(merged.peek("x"), "mine");
  write(graph, merged, { x: undefined });
  assert.deepEqual([merged.peek("x"), merged.isFed("x")], ["/2", true]);
  write(graph, merged, { x: undefined });
  assert.equal(merged.peek("x"), "/2", "there is no row from outside to delete");
});

Deno.test("a group that fails keeps the rows that it gave last", () => {
  const { graph, routes, merged } = createRelay();
  write(graph, routes, { a: "x /1", b: "x /2" });
  write(graph, routes, { a: "throw" });
  assert.equal(merged.peek("x"), "/1,/2");
  assert.deepEqual(graph.faults().map(({ table, key }) => `${table}/${key}`), ["convert/a"]);
  write(graph, routes, { a: "y /1" });
  assert.deepEqual(rowsOf(merged), { x: "/2", y: "/1" });
  assert.deepEqual(graph.faults(), []);
});

Deno.test("answers lead through fed rows to the rows from outside", () => {
  const { graph, routes, served } = createRelay();
  write(graph, routes, { a: "x /1", b: "y /2" });
  graph.peek(served, "x");
  assert.deepEqual(graph.origins("served", "x"), ["routes/a"]);
  const reached = graph.blast("routes", "a").map(({ table, key }) => `${table}/${key}`);
  assert.ok(reached.includes("served/x") && !reached.includes("served/y"), reached.join(" "));
  assert.deepEqual(graph.edits(0)?.map(({ table, key }) => `${table}/${key}`), [
    "routes/a",
    "routes/b",
  ]);
});

Deno.test("causes lead through fed rows to the edits", () => {
  const { graph, routes, served } = createRelay();
  const collection = graph.collection("answers", () => ({
    members: { list: ["x", "y"] },
    resources: graph.derive("answer", text, (read, key) => {
      const version = read.get(served, key);
      return [{ name: key, version, bytes: new TextEncoder().encode(version) }];
    }),
  }));
  collection.retain();
  write(graph, routes, { a: "x /1", b: "y /2", c: "y /3" });
  graph.publish();
  write(graph, routes, { a: "x /9", b: "y /8" });
  graph.publish();
  const causes = (name: string) => graph.causes(collection, name).map(({ key }) => key);
  assert.deepEqual([causes("x"), causes("y")], [["a"], ["b"]]);
  write(graph, routes, { a: undefined, b: "y /7" });
  graph.publish();
  assert.deepEqual([causes("x"), causes("y")], [["a"], ["b"]]);
});

Deno.test("ahead: rows are written in pieces of warm, the rest by the publication", () => {
  let time = 0;
  const { graph, routes, merged } = createRelay({ feeds: "ahead", now: () => time++ });
  write(graph, routes, { a: "x /1", b: "x /2", c: "y /3" });
  assert.deepEqual(rowsOf(merged), {});
  let pieces = 0;
  while (!graph.warm(0)) pieces++;
  assert.ok(pieces >= 3, `${pieces} pieces`);
  assert.deepEqual(rowsOf(merged), { x: "/1,/2", y: "/3" });
  write(graph, routes, { c: "x /3" });
  graph.publish();
  assert.deepEqual(rowsOf(merged), { x: "/1,/2,/3" });
});

Deno.test("the first group gives the row if two have one key", () => {
  const graph = createGraph();
  const names = graph.input<string>("names");
  const target = graph.input<string>("target");
  const all = graph.index(names, "names.all", CODECS, (_, key) => [["all", key]]);
  const rows: Derived<ReadonlyMap<string, string>> = graph.derive(
    "rows",
    text,
    (read, key) => new Map([[read.get(names, key)!, key]]),
  );
  graph.feed(target, { name: "feed", groups: all, rows });
  write(graph, names, { b: "k" });
  write(graph, names, { a: "k" });
  assert.deepEqual(rowsOf(target), { k: "a" });
  write(graph, names, { a: "other" });
  assert.deepEqual(rowsOf(target), { k: "b", other: "a" });
});

Deno.test("the first of a dozen feeds gives the row of a key", () => {
  const graph = createGraph();
  const names = graph.input<string>("names");
  const target = graph.input<number>("target");
  const all = graph.index(names, "names.all", CODECS, (_, key) => [["all", key]]);
  for (let i = 0; i < 12; i++) {
    const rows = graph.derive(`rows ${i}`, text, (read, key): ReadonlyMap<string, number> => {
      const isOff = i < 2 && read.get(names, key) === "off";
      return new Map(isOff ? [] : [["k", i]]);
    });
    graph.feed(target, { name: `feed ${i}`, groups: all, rows });
  }
  write(graph, names, { a: "on" });
  assert.equal(target.peek("k"), 0);
  write(graph, names, { a: "off" });
  assert.equal(target.peek("k"), 2);
});

Deno.test("a feed that feeds itself has a fault, and everything else goes on", () => {
  const graph = createGraph();
  const table = graph.input<string>("table");
  const all = graph.index(table, "all", CODECS, (_, key) => [["all", "one"], ["keys", key]]);
  const rows = graph.derive("rows", text, (read): ReadonlyMap<string, string> => {
    return new Map(read.members(all, "keys").includes("k") ? [] : [["k", "of itself"]]);
  });
  graph.feed(table, { name: "circle", groups: all, rows });
  write(graph, table, { a: "1" });
  assert.match(String(graph.faults()[0]?.error), /The feed circle feeds itself/);
  assert.equal(table.peek("a"), "1");
});
