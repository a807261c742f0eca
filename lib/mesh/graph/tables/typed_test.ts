/** Tables, indexes and collections with keys of their own types. */
import assert from "node:assert/strict";
import { resource, shown } from "../fixture.ts";
import { createGraph, integer, keyOf, pathOf, type Resource, text } from "../mod.ts";

interface Name {
  readonly namespace: string;
  readonly name: string;
}

interface At {
  readonly namespace: string;
  readonly port: number;
}

const names = pathOf<Name>({ namespace: text, name: text });
const addresses = keyOf<At>({ namespace: text, port: integer });

function world() {
  const graph = createGraph();
  const rows = graph.input<readonly number[], Name>("rows", { key: names });
  const byPort = graph.index(
    rows,
    "byPort",
    { bucket: integer, member: names },
    function* (row, key) {
      for (const port of row) yield [port, key];
    },
  );
  const counts = graph.derive(
    "counts",
    addresses,
    (read, { namespace, port }) =>
      read.members(byPort, port).filter((member) => member.namespace === namespace).length,
  );
  const open = graph.derive(
    "open",
    text,
    (read, namespace): readonly At[] =>
      [80, 443].filter((port) => read.any(byPort, port)).map((port) => ({ namespace, port })),
  );
  const resources = graph.derive(
    "resources",
    addresses,
    (read, at): readonly Resource[] => [
      resource(`${at.namespace}:${at.port}`, read.get(counts, at)),
    ],
  );
  return { graph, rows, byPort, counts, open, resources };
}

Deno.test("tables hand out and take keys of their types", () => {
  const { graph, rows, byPort, counts } = world();
  const key = { namespace: "shop", name: "a" };
  graph.transaction((tx) => {
    tx.set(rows, key, [80]);
    tx.set(rows, { namespace: "other", name: "b" }, [80, 443]);
  });
  assert.deepEqual(rows.keys(), [{ namespace: "other", name: "b" }, key]);
  assert.deepEqual(rows.peek(key), [80]);
  assert.deepEqual(byPort.peek(80), [{ namespace: "other", name: "b" }, key]);
  assert.equal(graph.peek(counts, { namespace: "shop", port: 80 }), 1);
  assert.equal(graph.peek(counts, { namespace: "shop", port: 443 }), 0);
  assert.deepEqual(graph.why("counts", "shop|80").map(({ table, key }) => `${table} ${key}`), [
    "byPort 80",
  ]);
  assert.deepEqual(graph.origins("counts", "shop|80"), ["rows/other/b", "rows/shop/a"]);
  let seen = 0;
  const watch = graph.watch(counts, { namespace: "shop", port: 80 }, (count) => seen = count);
  graph.transaction((tx) => tx.delete(rows, key));
  graph.publish();
  assert.deepEqual([seen, watch.value], [0, 0]);
  watch.close();
});

Deno.test("collections of typed members: by a list of keys, by buckets with a function", () => {
  const { graph, rows, byPort, open, resources } = world();
  const listed = graph.collection("listed", () => ({
    members: { listFrom: [open, "shop"] as const },
    resources,
  }));
  const addressLines = graph.collection("placed", () => ({
    members: { index: byPort, buckets: [80] },
    resources,
    keyOf: ({ namespace }) => ({ namespace, port: 80 }),
  }));
  listed.retain();
  addressLines.retain();
  graph.transaction((tx) => tx.set(rows, { namespace: "shop", name: "a" }, [80]));
  graph.publish();
  assert.deepEqual(shown(listed.content.values()), ["shop:80@1"]);
  assert.deepEqual(shown(addressLines.content.values()), ["shop:80@1"]);
  assert.deepEqual(listed.cellOf("shop:80"), { table: "resources", key: "shop|80" });
  graph.transaction((tx) => tx.set(rows, { namespace: "shop", name: "b" }, [443, 80]));
  graph.publish();
  assert.deepEqual(shown(listed.content.values()), ["shop:443@1", "shop:80@2"]);
  for (const { outcome } of [...graph.auditable()].map((c) => graph.audit(c.table, c.key))) {
    assert.equal(outcome, "right");
  }
});

Deno.test("a collection whose members are no keys of its table is refused", () => {
  const { graph, byPort, resources } = world();
  const wrong = graph.collection.bind(graph) as (name: string, spec: () => unknown) => unknown;
  assert.throws(
    () => wrong("wrong", () => ({ members: { index: byPort, buckets: [80] }, resources })),
    /members of the collection wrong and the keys of resources have different codecs/,
  );
});

Deno.test("the types of keys are checked", () => {
  const { graph, counts, rows } = world();
  const compiled = (): void => {
    // @ts-expect-error a field is missing
    graph.peek(counts, { namespace: "shop" });
    // @ts-expect-error a field has another type
    graph.peek(counts, { namespace: "shop", port: "80" });
    // @ts-expect-error the key of another table
    rows.peek({ namespace: "shop", port: 80 });
    // @ts-expect-error a text in place of a key
    graph.peek(counts, "shop|80");
  };
  assert.equal(typeof compiled, "function");
});
