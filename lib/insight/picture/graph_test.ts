/** Tests of graphs: bounds, places without overlaps, the text for screen readers. */
import assert from "node:assert/strict";
import { LABEL, SMALL, widthOf } from "./measure.ts";
import {
  bounded,
  drawGraph,
  type GraphEdge,
  type GraphNode,
  type PlacedGraph,
  placeGraph,
  type SvgElement,
  type Tone,
} from "./mod.ts";

const LONG = "settlement-reconciliation-worker-with-a-long-name";

function node(id: string, over: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    kind: "service",
    label: id,
    name: `${id}.shop.svc.cluster.local`,
    marks: [{ text: "mTLS strict", tone: "good" }, { text: "3 endpoints · z1, z2", tone: "plain" }],
    href: `/debug/map?service=${id}`,
    ...over,
  };
}

function edge(from: string, to: string, over: Partial<GraphEdge> = {}): GraphEdge {
  return { from, to, kind: "configuration", label: "", tone: "plain", ...over };
}

/** Numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

/** A graph with long names, cycles, hubs, labels and nodes without edges. */
function randomGraph(seed: number, size: number, count: number) {
  const next = numbers(seed);
  const nodes = Array.from({ length: size }, (_, at) => node(`${LONG}-${at}`));
  const tones: Tone[] = ["plain", "bad", "warn"];
  const edges = Array.from(
    { length: count },
    () =>
      edge(nodes[next(size)]!.id, nodes[next(next(size) + 1)]!.id, {
        label: ["", "90 %", "1,204/s 12 % errors and more"][next(3)]!,
        kind: next(2) === 0 ? "seen" : "configuration",
        tone: tones[next(3)]!,
      }),
  );
  return { nodes, edges };
}

interface Box {
  readonly what: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxesOf({ nodes }: PlacedGraph): Box[] {
  return nodes.map(({ x, y, width, height, node: { id } }) => ({
    what: id,
    left: x,
    right: x + width,
    top: y,
    bottom: y + height,
  }));
}

function labelsOf({ edges }: PlacedGraph): Box[] {
  return edges.filter(({ label }) => label !== "").map(({ label, labelAt, edge }) => ({
    what: `label ${edge.from} to ${edge.to}`,
    left: labelAt.x - widthOf(label, SMALL),
    right: labelAt.x,
    // Digits and capitals are above the base line.
    top: labelAt.y - 0.75 * SMALL,
    bottom: labelAt.y,
  }));
}

function overlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((a, at) =>
    boxes.slice(at + 1).filter((b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    ).map((b) => `${a.what} and ${b.what}`)
  );
}

Deno.test("nodes and labels of edges do not overlap, and nothing is outside of the picture", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { nodes, edges } = randomGraph(seed, 1 + seed % 45, (seed * 7) % 160);
    const placed = placeGraph(bounded(nodes, edges));
    const boxes = [...boxesOf(placed), ...labelsOf(placed)];
    assert.deepEqual(overlaps(boxes), [], `seed ${seed}`);
    for (const { what, left, right, top, bottom } of boxes) {
      const inside = left >= 0 && top >= 0 && right <= placed.width && bottom <= placed.height;
      assert.ok(inside, `seed ${seed}: ${what}`);
    }
  }
});

Deno.test("texts stay inside their nodes, and long names keep their ends", () => {
  const placed = placeGraph(bounded(
    [
      node(`${LONG}-0`, { marks: [{ text: "x".repeat(90), tone: "bad" }] }),
      node("日本語".repeat(20)),
      node("short"),
    ],
    [],
  ));
  for (const { label, marks, width, height, node: { marks: all } } of placed.nodes) {
    assert.ok(widthOf(label, LABEL) <= width - 20, label);
    for (const mark of marks) assert.ok(widthOf(mark, SMALL) <= width - 20, mark);
    assert.ok(height >= 16 + 14 * all.length);
  }
  const labels = placed.nodes.map(({ label }) => label);
  assert.ok(labels.includes("short"));
  assert.ok(labels.some((one) => /^settlement.*….*name-0$/.test(one)), labels.join());
});

Deno.test("edges lead from left to right, also over several columns; one of a cycle leads back", () => {
  const ids = ["a", "b", "c", "d"];
  const placed = placeGraph(bounded(
    ids.map((id) => node(id)),
    [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("a", "d"), edge("d", "b")],
  ));
  const at = new Map(placed.nodes.map(({ node: { id }, x }) => [id, x]));
  assert.deepEqual([...at].sort((a, b) => a[1] - b[1]).map(([id]) => id), ids);
  const boxes = boxesOf(placed);
  for (const { edge: { from, to }, points, reversed } of placed.edges) {
    assert.equal(reversed, from === "d" && to === "b");
    // The points between the ends lie beside the nodes of the columns that are passed.
    for (const { x, y } of points.slice(1, -1)) {
      const hit = boxes.find((b) => b.left <= x && x <= b.right && b.top < y && y < b.bottom);
      assert.equal(hit, undefined, `${from} to ${to} passes through ${hit?.what}`);
    }
  }
  const long = placed.edges.find(({ edge: { from, to } }) => from === "a" && to === "d")!;
  assert.equal(long.points.length, 6);
});

Deno.test("a graph of 1,000 services shows those in focus, with troubles and with edges", () => {
  const bad = { marks: [{ text: "no endpoint is healthy", tone: "bad" as const }] };
  const nodes = Array.from({ length: 1_000 }, (_, at) => {
    const id = `s${String(at).padStart(4, "0")}`;
    return node(id, at === 700 ? { focus: true } : at === 800 ? bad : {});
  });
  const edges = nodes.slice(900).map(({ id }) => edge("s0700", id));
  const drawn = bounded(nodes, [...edges, edge("s0500", "s0501")]);
  assert.equal(drawn.nodes.length, 40);
  assert.equal(drawn.moreNodes.length, 960);
  assert.equal(drawn.lines.length + drawn.moreLines, 101);
  const ids = drawn.nodes.map(({ id }) => id);
  for (const id of ["s0700", "s0800", "s0500", "s0501"]) assert.ok(ids.includes(id), id);
  const placed = placeGraph(drawn);
  assert.ok(placed.height < 3_500, `${placed.height} pixels high`);
  const many = bounded(nodes.slice(0, 40), allPairs(nodes.slice(0, 40)));
  assert.deepEqual([many.lines.length, many.moreLines], [100, 40 * 39 - 100]);
});

function allPairs(nodes: readonly GraphNode[]): GraphEdge[] {
  return nodes.flatMap((a) => nodes.map((b) => edge(a.id, b.id)));
}

Deno.test("edges of one pair are one line, with the worst tone and what was seen", () => {
  const { lines } = bounded([node("a"), node("b")], [
    edge("a", "b", { label: "90 %" }),
    edge("a", "b", { kind: "seen", label: "2.0/s", tone: "bad" }),
    edge("b", "a", { label: "v1" }),
    edge("b", "a", { label: "v2" }),
    edge("a", "a", { label: "to itself" }),
  ]);
  assert.deepEqual(lines, [
    { from: "a", to: "b", kind: "seen", label: "2.0/s", tone: "bad" },
    { from: "b", to: "a", kind: "configuration", label: "2 ways", tone: "plain" },
  ]);
});

Deno.test("equal graphs give equal pictures, whatever the order of their parts", () => {
  const { nodes, edges } = randomGraph(5, 30, 60);
  const draw = (some: readonly GraphNode[], lines: readonly GraphEdge[]) =>
    JSON.stringify(placeGraph(bounded(some, lines)));
  assert.equal(draw(nodes, edges), draw(nodes.toReversed(), edges.toReversed()));
});

function find(tree: SvgElement, name: string): SvgElement[] {
  const below = tree.children.filter((one) => typeof one !== "string");
  return [...tree.name === name ? [tree] : [], ...below.flatMap((one) => find(one, name))];
}

Deno.test("a picture has a title, a description, and a name for each node and edge", () => {
  const nodes = [
    node("a"),
    node("Gateway/shop/front", { kind: "gateway", href: undefined, marks: [] }),
  ];
  const placed = placeGraph(bounded(nodes, [edge("Gateway/shop/front", "a", { label: "90 %" })]));
  const tree = drawGraph(placed, { id: "map", title: "Map of shop", description: "2 nodes" });
  assert.equal(tree.attributes["aria-labelledby"], "map-title");
  assert.equal(tree.attributes["aria-describedby"], "map-desc");
  assert.equal(tree.attributes.role, "group");
  assert.deepEqual(find(tree, "title").map(({ children }) => children[0]), [
    "Map of shop",
    "Gateway/shop/front to a: 90 %",
    "Gateway/shop/front.shop.svc.cluster.local: Gateway",
    "a.shop.svc.cluster.local: service, mTLS strict, 3 endpoints · z1, z2",
  ]);
  assert.deepEqual(find(tree, "desc").map(({ children }) => children[0]), ["2 nodes"]);
  assert.deepEqual(find(tree, "a").map((one) => one.attributes.href), ["/debug/map?service=a"]);
  assert.deepEqual(find(tree, "script").concat(find(tree, "style")), []);
});

Deno.test("a graph without nodes is empty, not broken", () => {
  const placed = placeGraph(bounded([], []));
  assert.deepEqual([placed.nodes, placed.edges], [[], []]);
  assert.ok(Number.isFinite(placed.width) && Number.isFinite(placed.height));
});
