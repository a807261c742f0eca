import assert from "node:assert/strict";
import { createGraph, DependencyFault, type Derived } from "./mod.ts";
import { text } from "../../kit/key/mod.ts";

/** The code of the error that `run` throws. */
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "nothing thrown";
}

Deno.test("a derived value follows its row, its absence included", () => {
  const graph = createGraph();
  const names = graph.input<string>("names");
  const greeting = graph.derive(
    "greeting",
    text,
    (read, key) => `Hello ${read.get(names, key) ?? "?"}`,
  );
  assert.equal(graph.peek(greeting, "a"), "Hello ?");
  graph.transaction((tx) => tx.set(names, "a", "Ada"));
  assert.equal(graph.peek(greeting, "a"), "Hello Ada");
  graph.transaction((tx) => tx.delete(names, "a"));
  assert.equal(graph.peek(greeting, "a"), "Hello ?");
});

Deno.test("equal rows change nothing, and keep the revision", () => {
  const graph = createGraph();
  const rows = graph.input<{ readonly tags: readonly string[] }>("rows");
  assert.equal(graph.transaction((tx) => tx.set(rows, "a", { tags: ["x"] })), 1);
  assert.equal(graph.transaction((tx) => tx.set(rows, "a", { tags: ["x"] })), 1);
  assert.equal(graph.transaction((tx) => tx.delete(rows, "none")), 1);
  const coarse = graph.input<string>("coarse", { equal: (a, b) => a.length === b.length });
  assert.equal(graph.transaction((tx) => tx.set(coarse, "a", "one")), 2);
  assert.equal(graph.transaction((tx) => tx.set(coarse, "a", "two")), 2);
  assert.equal(coarse.peek("a"), "one");
});

Deno.test("a transaction is one revision, its last write wins, and an exception undoes it", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const revision = graph.transaction((tx) => {
    tx.set(rows, "b", 1);
    tx.set(rows, "a", 1);
    tx.set(rows, "a", 2);
    assert.equal(rows.peek("a"), undefined, "writes are not seen before the end");
  });
  assert.equal(revision, 1);
  assert.deepEqual([rows.peek("a"), rows.keys(), rows.size], [2, ["a", "b"], 2]);
  assert.throws(() =>
    graph.transaction((tx) => {
      tx.set(rows, "a", 3);
      throw new Error("changed my mind");
    }), /changed my mind/);
  assert.deepEqual([rows.peek("a"), graph.revision], [2, 1]);
});

Deno.test("equal results stop the wave", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const parity = graph.derive("parity", text, (read, key) => (read.get(rows, key) ?? 0) % 2);
  const word = graph.derive(
    "word",
    text,
    (read, key) => (read.get(parity, key) === 0 ? "even" : "odd"),
  );
  graph.transaction((tx) => tx.set(rows, "a", 2));
  assert.equal(graph.peek(word, "a"), "even");
  graph.resetStats();
  graph.transaction((tx) => tx.set(rows, "a", 4));
  assert.equal(graph.peek(word, "a"), "even");
  const { computedByTable, cutOff } = graph.stats();
  assert.deepEqual([computedByTable, cutOff], [{ parity: 1, word: 0 }, 1]);
});

Deno.test("a cell that a conditional no longer reads is not computed", () => {
  const graph = createGraph();
  const flags = graph.input<boolean>("flags");
  const numbers = graph.input<number>("numbers");
  const costly = graph.derive("costly", text, (read, key) => read.get(numbers, key) ?? 0);
  const chosen = graph.derive(
    "chosen",
    text,
    (read, key) => (read.get(flags, key) ? read.get(costly, key) : -1),
  );
  graph.transaction((tx) => {
    tx.set(flags, "a", true);
    tx.set(numbers, "a", 7);
  });
  assert.equal(graph.peek(chosen, "a"), 7);
  graph.resetStats();
  graph.transaction((tx) => {
    tx.set(flags, "a", false);
    tx.set(numbers, "a", 8);
  });
  assert.equal(graph.peek(chosen, "a"), -1);
  assert.deepEqual(graph.stats().computedByTable, { costly: 0, chosen: 1 });
});

Deno.test("chains far deeper than the native stack are built and updated", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const depth = 10_000;
  const chain: Derived<number> = graph.derive("chain", text, (read, key) => {
    const at = Number(key);
    return at === 0 ? read.get(rows, "a") ?? 0 : read.get(chain, String(at - 1)) + 1;
  });
  graph.transaction((tx) => tx.set(rows, "a", 1));
  assert.equal(graph.peek(chain, String(depth)), depth + 1);
  graph.resetStats();
  graph.transaction((tx) => tx.set(rows, "a", 2));
  assert.equal(graph.peek(chain, String(depth)), depth + 2);
  assert.equal(graph.stats().computed, depth + 1);
});

Deno.test("a function that swallows errors can not hide that it was taken up again", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const chain: Derived<number> = graph.derive("chain", text, (read, key) => {
    const at = Number(key);
    try {
      return at === 0 ? read.get(rows, "a") ?? 0 : read.get(chain, String(at - 1)) + 1;
    } catch {
      return -1;
    }
  });
  assert.equal(graph.peek(chain, "5000"), 5000);
});

const misuse:
  readonly (readonly [string, string, (graph: ReturnType<typeof createGraph>) => void])[] = [
    ["a nested transaction", "graph-busy", (graph) => {
      graph.transaction(() => graph.transaction(() => {}));
    }],
    ["a publication inside a transaction", "graph-busy", (graph) => {
      graph.transaction(() => graph.publish());
    }],
    ["a write after the transaction", "graph-late-write", (graph) => {
      const rows = graph.input<number>("rows");
      let kept: { set: (table: typeof rows, key: string, row: number) => void } | undefined;
      graph.transaction((tx) => kept = tx);
      kept!.set(rows, "a", 1);
    }],
    ["two tables of one name", "graph-name-taken", (graph) => {
      graph.input("rows");
      graph.derive("rows", text, () => 1);
    }],
    ["a table of another graph", "graph-foreign-table", (graph) => {
      graph.peek(createGraph().derive("other", text, () => 1), "a");
    }],
  ];

for (const [what, code, run] of misuse) {
  Deno.test(`refused: ${what}`, () => assert.equal(codeOf(() => run(createGraph())), code));
}

Deno.test("the handle reads only for its own computation, while that runs", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  let kept: (() => unknown) | undefined;
  const leak = graph.derive("leak", text, (read) => {
    kept = () => read.get(rows, "a");
    return 1;
  });
  const borrower = graph.derive("borrower", text, () => kept?.());
  graph.peek(leak, "");
  assert.equal(codeOf(() => kept?.()), "graph-late-read");
  const fault = codeOf(() => graph.peek(borrower, ""));
  assert.equal(fault, "graph-dependency-fault");
});

Deno.test("a computation can not read past its handle, nor write", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const cases = {
    peek: () => rows.peek("a"),
    keys: () => rows.keys(),
    write: () => graph.transaction((tx) => tx.set(rows, "a", 1)),
    collection: () =>
      graph.collection("c", () => ({ members: { list: [] }, resources: none })).size,
  };
  const none = graph.derive<readonly never[], string>("none", text, () => []);
  const rogue = graph.derive("rogue", text, (_, key) => cases[key as keyof typeof cases]());
  for (const key of Object.keys(cases)) {
    assert.throws(() => graph.peek(rogue, key), DependencyFault);
  }
  const codes = graph.faults().map((fault) => (fault.error as { code: string }).code);
  const untracked = "graph-untracked-read";
  assert.deepEqual(codes, [untracked, untracked, "graph-busy", untracked]);
});

Deno.test("a watch reports changed values at publication, and none after it is closed", () => {
  const graph = createGraph();
  const rows = graph.input<number>("rows");
  const tens = graph.derive(
    "tens",
    text,
    (read, key) => Math.trunc((read.get(rows, key) ?? 0) / 10),
  );
  const notified: number[] = [];
  const watch = graph.watch(tens, "a", (value) => notified.push(value));
  assert.equal(watch.value, 0);
  const write = (row: number) => {
    graph.transaction((tx) => tx.set(rows, "a", row));
    graph.publish();
  };
  write(25);
  write(27);
  write(31);
  assert.deepEqual([notified, watch.value], [[2, 3], 3]);
  watch.close();
  write(99);
  assert.deepEqual(notified, [2, 3]);
  assert.equal(graph.evict({ collections: 0, cells: 0 }).cells, 1);
});
