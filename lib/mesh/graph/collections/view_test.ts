import assert from "node:assert/strict";
import { shown, written } from "../fixture.ts";
import { type Collection, createGraph, type Delta } from "../mod.ts";

function layered(logLimit?: number) {
  const graph = createGraph({ logLimit });
  const above = written(graph, "above");
  const below = written(graph, "below");
  above.write({ m: "own@1 both@2 -hidden -nothing" });
  below.write({ m: "both@1 hidden@1 plain@1" });
  const view = graph.view([above.collection, below.collection]);
  void view.size;
  graph.publish();
  return { graph, above, below, view };
}

const plain = (delta: Delta | undefined): unknown =>
  delta && { changed: shown(delta.changed), removed: delta.removed };

Deno.test("the first layer that has a name decides; a tombstone hides", () => {
  const { view } = layered();
  const all = ["both@2", "own@1", "plain@1"];
  assert.deepEqual([shown(view.entries()), [...view.names()].sort()], [all, [
    "both",
    "own",
    "plain",
  ]]);
  assert.equal(view.size, 3);
  assert.deepEqual(
    ["both", "own", "plain", "hidden", "nothing"].map((name) => view.get(name)?.version),
    ["2", "1", "1", undefined, undefined],
  );
});

const changes: readonly {
  readonly what: string;
  readonly above?: string;
  readonly below?: string;
  readonly delta: { readonly changed: readonly string[]; readonly removed: readonly string[] };
}[] = [
  {
    what: "below what is shadowed",
    below: "both@7 hidden@7 plain@1",
    delta: { changed: [], removed: [] },
  },
  {
    what: "a shadow that goes",
    above: "own@1 -hidden",
    delta: { changed: ["both@1"], removed: [] },
  },
  {
    what: "a shadow that goes and was the same",
    above: "own@1 -hidden",
    below: "both@2 hidden@1 plain@1",
    delta: { changed: [], removed: [] },
  },
  {
    what: "a tombstone that goes",
    above: "own@1 both@2",
    delta: { changed: ["hidden@1"], removed: [] },
  },
  {
    what: "a tombstone over what was to be seen",
    above: "own@1 both@2 -hidden -plain",
    delta: { changed: [], removed: ["plain"] },
  },
  {
    what: "both layers at once",
    above: "own@2 plain@9 -hidden",
    below: "fresh@1",
    delta: { changed: ["fresh@1", "own@2", "plain@9"], removed: ["both"] },
  },
];

for (const { what, above: a, below: b, delta } of changes) {
  Deno.test(`a delta has the changes that are visible through the upper layers: ${what}`, () => {
    const { graph, above, below, view } = layered();
    const from = graph.published;
    if (a !== undefined) above.write({ m: a });
    if (b !== undefined) below.write({ m: b });
    graph.publish();
    assert.deepEqual(plain(view.since(from)), delta);
    assert.equal(view.since(from), view.since(from), "computed once, shared");
    assert.equal(view.at(from, "both")?.version, "2");
    assert.equal(view.at(from, "hidden"), undefined);
    assert.equal(view.at(from, "plain")?.version, "1");
  });
}

Deno.test("a delta from before the start of the log is unknown", () => {
  const { graph, below, view } = layered(2);
  const from = graph.published;
  for (let version = 1; version < 6; version++) {
    below.write({ m: `plain@${version}` });
    graph.publish();
  }
  assert.equal(view.since(from), undefined);
  assert.equal(view.at(from, "plain"), null);
  assert.equal(view.at(from, "own")?.version, "1", "a layer above that is known decides");
  assert.deepEqual(plain(view.since(graph.published)), { changed: [], removed: [] });
});

Deno.test("the difference between views looks at what they do not share", () => {
  const { graph, above, below, view } = layered();
  const other = written(graph, "other");
  other.write({ m: "own@5 -plain" });
  const next = graph.view([other.collection, below.collection]);
  const from = graph.published;
  below.write({ n: "late@1" });
  above.write({ m: undefined });
  graph.publish();
  assert.deepEqual(plain(next.diffFrom(view, from)), {
    changed: ["both@1", "hidden@1", "late@1", "own@5"],
    removed: ["plain"],
  });
  assert.deepEqual(plain(view.diffFrom(view, from)), plain(view.since(from)));
});

Deno.test("views that lay shared layers the other way round are compared in full", () => {
  const { graph, above, below, view } = layered();
  const reversed = graph.view([below.collection, above.collection]);
  assert.deepEqual(plain(reversed.diffFrom(view, graph.published)), {
    changed: ["both@1", "hidden@1"],
    removed: [],
  });
});

Deno.test("the same layers are the same view", () => {
  const { graph, above, below, view } = layered();
  const layers = [above.collection, below.collection];
  assert.equal(graph.view(layers), view);
  assert.notEqual(graph.view([...layers].reverse()), view);
  const empty: readonly Collection[] = [];
  assert.deepEqual([graph.view(empty).size, graph.view(empty).changedAt], [0, 0]);
});
