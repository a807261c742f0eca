import assert from "node:assert/strict";
import { shown, written } from "./fixture.ts";
import { createGraph, DependencyFault, type Derived, type Fault } from "./mod.ts";

/** A graph that keeps its fault notices as `table/key` or `-table/key`. */
function noticed() {
  const notices: string[] = [];
  const graph = createGraph({
    onFault: (table, key, fault) => {
      notices.push(`${fault === undefined ? "-" : ""}${table}/${key}`);
    },
  });
  return { graph, notices };
}

const summary = (fault: Fault | undefined) =>
  fault && {
    cell: `${fault.table}/${fault.key}`,
    since: fault.since,
    lastGood: fault.lastGood,
    inputs: fault.inputs,
  };

Deno.test("a function that throws keeps its last good value, and heals", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<number>("rows");
  const half = graph.derive("half", (read, key) => {
    const n = read.get(rows, key) ?? 0;
    if (n % 2 === 1) throw new Error(`${n} is odd`);
    return n / 2;
  });
  const text = graph.derive("text", (read, key) => `${read.get(half, key)}!`);
  const set = (n: number) => {
    graph.transaction((tx) => tx.set(rows, "a", n));
    return graph.peek(text, "a");
  };
  assert.equal(set(4), "2!");
  assert.equal(set(5), "2!");
  assert.equal(set(7), "2!");
  const [fault] = graph.faults();
  assert.deepEqual(summary(fault), {
    cell: "half/a",
    since: 2,
    lastGood: true,
    inputs: ["rows/a"],
  });
  assert.match(String(fault?.error), /7 is odd/);
  assert.equal(graph.stats().faults, 1);
  assert.equal(set(10), "5!");
  assert.deepEqual([graph.faults(), notices], [[], ["half/a", "-half/a"]]);
});

Deno.test("without a last good value the readers fail too, and say on whose account", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<number>("rows");
  const root = graph.derive("root", (read, key) => {
    if (read.get(rows, key) === undefined) throw new Error("no such row");
    return "fine";
  });
  const leaf = graph.derive("leaf", (read, key) => read.get(root, key));
  const brave = graph.derive("brave", (read, key) => {
    try {
      return read.get(root, key);
    } catch (error) {
      assert.ok(error instanceof DependencyFault);
      return `${error.table} failed`;
    }
  });
  assert.throws(() => graph.peek(leaf, "a"), (error: unknown) => {
    assert.ok(error instanceof DependencyFault);
    assert.deepEqual([error.code, error.table, error.key], ["graph-dependency-fault", "leaf", "a"]);
    return true;
  });
  assert.equal(graph.peek(brave, "a"), "root failed");
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.deepEqual([graph.peek(leaf, "a"), graph.peek(brave, "a")], ["fine", "fine"]);
  assert.deepEqual(notices, ["root/a", "leaf/a", "-root/a", "-leaf/a"]);
});

Deno.test("a fault that nobody reads any more heals at publication all the same", () => {
  const { graph } = noticed();
  const { collection, write } = written(graph, "c");
  write({ m: "a@throw", n: "b" });
  assert.deepEqual(shown(collection.content.values()), ["b@b"]);
  write({ m: undefined });
  assert.equal(graph.faults().length, 1, "not looked at yet");
  graph.publish();
  assert.deepEqual(graph.faults(), []);
});

Deno.test("a member that fails keeps its last good resources; the others go on", () => {
  const { graph } = noticed();
  const { collection, write } = written(graph, "c");
  write({ m: "a@1", n: "b@1" });
  graph.publish();
  void collection.size;
  write({ m: "a@throw", n: "b@2" });
  graph.publish();
  assert.deepEqual(shown(collection.content.values()), ["a@1", "b@2"]);
  assert.deepEqual(graph.faults().map((fault) => fault.inputs), [["c.rows/m"]]);
  write({ m: "a@3" });
  graph.publish();
  assert.deepEqual(shown(collection.content.values()), ["a@3", "b@2"]);
});

function circle() {
  const { graph, notices } = noticed();
  const links = graph.input<string>("links");
  const reach: Derived<string> = graph.derive("reach", (read, key) => {
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
  const first: Derived<number> = graph.derive("first", (read) => {
    const next = read.get(second, "");
    return next + (read.get(rows, "first") ?? 0);
  });
  const second: Derived<number> = graph.derive("second", (read) => {
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
  const endless: Derived<number> = graph.derive("endless", (read, key) => {
    return read.get(endless, String(Number(key) + 1));
  });
  assert.throws(() => graph.peek(endless, "0"), DependencyFault);
  assert.equal(graph.peek(graph.derive("fine", () => 1), ""), 1);
});

Deno.test("a collection whose member reads it takes the fault; its other members are served", () => {
  const graph = createGraph();
  const rows = graph.input<boolean>("reading");
  const { collection, write } = written(graph, "c");
  const self = graph.derive<readonly never[]>("self", (read, key) => {
    if (read.get(rows, key)) read.content(both);
    return [];
  });
  const mixed = graph.derive("mixed", (read, key) => {
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

Deno.test("a placement that throws leaves the row where it was", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<string>("rows");
  const index = graph.index(rows, "index", (bucket, key) => {
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
  const value = graph.derive("value", (read, key) => read.get(rows, key) ?? 0);
  let seen = 0;
  graph.watch(value, "a", (n) => {
    if (n === 1) throw new Error("one is too much");
  });
  graph.watch(value, "a", () => seen++);
  const none = graph.derive<readonly never[]>("none", () => []);
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

Deno.test("a watch of a cell that fails has no value until it works", () => {
  const { graph } = noticed();
  const rows = graph.input<number>("rows");
  const value = graph.derive("value", (read, key) => {
    const n = read.get(rows, key);
    if (n === undefined) throw new Error("nothing yet");
    return n;
  });
  const told: number[] = [];
  const watch = graph.watch(value, "a", (n) => told.push(n));
  assert.throws(() => watch.value, DependencyFault);
  graph.transaction((tx) => tx.set(rows, "a", 3));
  graph.publish();
  assert.deepEqual([watch.value, told], [3, [3]]);
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
  const other = graph.derive("other", (_, key) => `about ${key}`);
  const bad = graph.derive("bad", () => {
    throw new Error("bad");
  });
  assert.throws(() => graph.peek(bad, "a"), DependencyFault);
  assert.deepEqual(seen, ["about a"]);
});

Deno.test("an equality that throws loses the cut-off and nothing else", () => {
  const graph = createGraph();
  const equal = () => {
    throw new Error("incomparable");
  };
  const rows = graph.input<number>("rows", { equal });
  const value = graph.derive("value", (read, key) => read.get(rows, key), { equal });
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.equal(graph.peek(value, "a"), 1);
  assert.equal(graph.transaction((tx) => tx.set(rows, "a", 1)), 2);
  assert.equal(graph.peek(value, "a"), 1);
  assert.deepEqual(graph.faults(), []);
});

Deno.test("a member without a key is listed until it goes", () => {
  const { graph, notices } = noticed();
  const rows = graph.input<readonly string[]>("rows");
  const list = graph.derive("list", (read, key) => read.get(rows, key) ?? []);
  const none = graph.derive<readonly never[]>("none", () => []);
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
