import assert from "node:assert/strict";
import { resource } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { createGraph, type Dependency, type Graph, type Resource } from "../mod.ts";

/** Services with endpoints, a collection of their clusters, and a table of the collection. */
function town(options?: Parameters<typeof createGraph>[0]) {
  const graph = createGraph(options);
  const services = graph.input<string>("services");
  const endpoints = graph.input<number>("endpoints");
  const byBucket = graph.index(
    services,
    "byBucket",
    { bucket: text, member: text },
    (bucket, key) => [[bucket, key]],
  );
  const load = graph.derive("load", text, (read, key) => (read.get(endpoints, key) ?? 0) * 2);
  const clusters = graph.derive<readonly Resource[], string>("clusters", text, (read, key) => {
    if (read.get(services, key) === "nowhere") throw new Error(`${key} is nowhere`);
    return [resource(key, read.get(load, key))];
  });
  const all = graph.collection("all", () => ({
    members: { index: byBucket, buckets: ["here"] },
    resources: clusters,
  }));
  const table = graph.derive("table", text, (read) => read.content(all).size);
  const crowded = graph.derive("crowded", text, (read, bucket) => read.any(byBucket, bucket));
  graph.transaction((tx) => {
    tx.set(services, "a", "here");
    tx.set(services, "b", "here");
    tx.set(services, "far", "there");
    tx.set(endpoints, "a", 1);
  });
  graph.peek(table, "");
  graph.peek(crowded, "there");
  return { graph, services, endpoints, table };
}

const names = (found: readonly Dependency[]) => found.map((d) => `${d.kind} ${d.table}/${d.key}`);

const whys: readonly (readonly [table: string, key: string, expected: readonly string[]])[] = [
  ["clusters", "a", ["input services/a", "derived load/a"]],
  ["load", "b", ["input endpoints/b"]],
  ["table", "", ["collection all/"]],
  ["all", "a", ["derived clusters/a"]],
  ["all", "", ["collection all/a", "collection all/b", "bucket byBucket/here"]],
  ["crowded", "there", ["bucket byBucket/there"]],
  ["byBucket", "here", ["input services/a", "input services/b"]],
  ["services", "a", []],
  ["clusters", "unknown", []],
  ["unknown", "a", []],
];

for (const [table, key, expected] of whys) {
  Deno.test(`why ${table}/${key}`, () => {
    assert.deepEqual(names(town().graph.why(table, key)), expected);
  });
}

Deno.test("an explanation has the generations of objects", () => {
  const { graph, endpoints, table } = town();
  graph.transaction((tx) => tx.set(endpoints, "a", 5));
  graph.peek(table, "");
  assert.deepEqual(graph.why("clusters", "a").map((d) => d.changedAt), [1, 2]);
});

const origins: readonly (readonly [table: string, key: string, expected: readonly string[]])[] = [
  ["clusters", "a", ["endpoints/a", "services/a"]],
  ["table", "", ["endpoints/a", "endpoints/b", "services/a", "services/b"]],
  ["all", "b", ["endpoints/b", "services/b"]],
  ["crowded", "there", ["services/far"]],
];

for (const [table, key, expected] of origins) {
  Deno.test(`origins of ${table}/${key}`, () => {
    assert.deepEqual(town().graph.origins(table, key), expected);
  });
}

const blasts: readonly (readonly [table: string, key: string, expected: readonly string[]])[] = [
  ["endpoints", "a", [
    "collection all/",
    "collection all/a",
    "derived clusters/a",
    "derived load/a",
    "derived table/",
  ]],
  ["services", "far", ["bucket byBucket/there", "derived crowded/there"]],
  ["services", "b", [
    "bucket byBucket/here",
    "collection all/",
    "collection all/b",
    "derived clusters/b",
    "derived table/",
  ]],
  ["table", "", []],
];

for (const [table, key, expected] of blasts) {
  Deno.test(`blast of ${table}/${key}`, () => {
    assert.deepEqual(names(town().graph.blast(table, key)).sort(), expected);
  });
}

Deno.test("the ledger charges each table its own time", () => {
  let time = 0;
  const graph = createGraph({ now: () => time });
  const inner = graph.derive("inner", text, () => time += 3);
  const outer = graph.derive("outer", text, (read) => {
    time += 1;
    read.get(inner, "x");
    return time += 1;
  });
  graph.peek(outer, "");
  assert.deepEqual(graph.stats().microsByTable, { inner: 3000, outer: 2000 });
  graph.resetStats();
  assert.deepEqual([graph.stats().microsByTable, graph.stats().computed], [
    { inner: 0, outer: 0 },
    0,
  ]);
});

Deno.test("the counters count", () => {
  const { graph, endpoints } = town();
  graph.publish();
  graph.transaction((tx) => tx.set(endpoints, "a", 1.0));
  assert.deepEqual({ ...graph.stats(), microsByTable: undefined }, {
    revision: 1,
    published: 1,
    rows: 4,
    cells: 6,
    computed: 6,
    computedByTable: { load: 2, clusters: 2, table: 1, crowded: 1 },
    microsByTable: undefined,
    cutOff: 0,
    faults: 0,
    bytes: 6,
    logged: 0,
    idle: { collections: 0, cells: 2, bytes: 0 },
    evicted: 0,
    reuse: { clusters: { made: 2, revived: 0 } },
    rowsRead: 4,
  });
});

const dumpOf = (graph: Graph, values: boolean) =>
  JSON.parse(JSON.stringify(graph.dump({ values }))) as Record<string, Record<string, unknown>>;

Deno.test("the dump is plain JSON, values only when asked for", () => {
  const { graph, services } = town();
  graph.transaction((tx) => tx.set(services, "b", "nowhere"));
  graph.publish();
  const { inputs, derived, indexes, collections, faults } = dumpOf(graph, false);
  assert.deepEqual(inputs!.endpoints, {
    a: { changedAt: 1 },
    b: { changedAt: 0, absent: true },
  });
  assert.deepEqual((derived!.load as Record<string, unknown>).a, {
    changedAt: 1,
    verifiedAt: 1,
    stale: false,
    dependencies: ["endpoints/a"],
  });
  assert.deepEqual(indexes!.byBucket, { here: ["a"], nowhere: ["b"], there: ["far"] });
  assert.deepEqual(collections!.all, {
    built: true,
    users: 0,
    changedAt: 2,
    members: ["a"],
    conflicts: {},
    resources: { a: "2" },
  });
  assert.deepEqual(faults, []);
  const full = dumpOf(graph, true);
  assert.deepEqual((full.derived!.clusters as Record<string, { value: unknown }>).a!.value, [{
    name: "a",
    version: "2",
    bytes: { length: 3, hex: "613d32" },
  }]);
});

Deno.test("the dump shows faults and every sort of value", () => {
  const graph = createGraph();
  const value = graph.derive("value", text, (_, key) => {
    if (key === "bad") throw new Error("no good");
    return { map: new Map([["k", 1n]]), set: new Set([1]), when: undefined, call: () => 1 };
  });
  graph.peek(value, "good");
  assert.throws(() => graph.peek(value, "bad"));
  const { derived, faults } = dumpOf(graph, true);
  const cells = derived!.value as Record<string, { value?: unknown; fault?: string }>;
  assert.deepEqual(cells.good!.value, { map: { k: "1" }, set: [1], call: "[function]" });
  assert.equal(cells.bad!.fault, "no good");
  assert.deepEqual((faults as unknown as { error: string }[]).map((f) => f.error), ["no good"]);
});
