/**
 * Drawing of a placed graph. Colors are in the style sheet of the pages, by the classes.
 *
 * @module
 */
import { described, element, round, type SvgElement } from "./element.ts";
import { type GraphEdge, type LineKind, NODE_KINDS, worst } from "./graph.ts";
import {
  ARROW,
  LABEL_LINE,
  MARK_LINE,
  PADDING,
  type PlacedEdge,
  type PlacedGraph,
  type PlacedNode,
  type Point,
} from "./place.ts";

/** Draws a graph; `id` is unique on the page. */
export function drawGraph(
  { width, height, nodes, edges }: PlacedGraph,
  words: { readonly id: string; readonly title: string; readonly description: string },
): SvgElement {
  const { attributes, children } = described(words.id, words);
  const [wide, high] = [round(width), round(height)];
  return element(
    "svg",
    {
      class: "picture graph",
      width: wide,
      height: high,
      viewBox: `0 0 ${wide} ${high}`,
      // Not an image: its links can be followed.
      role: "group",
      ...attributes,
    },
    ...children,
    element("g", { class: "lines" }, ...edges.map(line)),
    element("g", { class: "labels" }, ...edges.flatMap(edgeLabel)),
    element("g", { class: "nodes" }, ...nodes.map(nodeBox)),
  );
}

/** A short line of a kind, for the legend. */
export function lineSample(kind: LineKind): SvgElement {
  const path = element("path", { class: `line ${kind}`, d: "M0 6H34" });
  const size = { class: "picture", width: 34, height: 12, viewBox: "0 0 34 12" };
  return element("svg", { ...size, "aria-hidden": "true" }, path);
}

function classOf({ kind, tone }: Pick<GraphEdge, "kind" | "tone">): string {
  return tone === "bad" || tone === "warn" ? `${kind} ${tone}` : kind;
}

function line({ edge, points, reversed }: PlacedEdge): SvgElement {
  const tip = reversed ? points[0]! : points.at(-1)!;
  const name = classOf(edge);
  return element(
    "g",
    {},
    element("title", {}, `${edge.from} to ${edge.to}${edge.label === "" ? "" : `: ${edge.label}`}`),
    element("path", { class: `line ${name}`, d: curve(points) }),
    element("path", { class: `arrow ${name}`, d: arrow(tip, reversed ? ARROW : -ARROW) }),
  );
}

/** A curve that is horizontal at each point. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  let path = `M${round(first!.x)} ${round(first!.y)}`;
  let before = first!;
  for (const point of rest) {
    const middle = round((before.x + point.x) / 2);
    path += before.y === point.y
      ? `H${round(point.x)}`
      : `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${
        round(point.y)
      }`;
    before = point;
  }
  return path;
}

function arrow({ x, y }: Point, length: number): string {
  return `M${round(x)} ${round(y)}l${length} -4v8z`;
}

function edgeLabel({ edge, label, labelAt: { x, y } }: PlacedEdge): SvgElement[] {
  if (label === "") return [];
  const at = { x: round(x), y: round(y), "text-anchor": "end" };
  return [element("text", { class: `small ${edge.tone}`, ...at }, label)];
}

function nodeBox({ node, x, y, width, height, label, marks }: PlacedNode): SvgElement {
  const left = round(x + PADDING);
  const firstLine = y + PADDING / 2 + LABEL_LINE - 3;
  const tone = worst(node.marks.map((mark) => mark.tone));
  const words = [NODE_KINDS[node.kind], ...node.marks.map(({ text }) => text)].join(", ");
  const shapes = [
    element("title", {}, `${node.name}: ${words}`),
    element("rect", {
      x: round(x),
      y: round(y),
      width,
      height: round(height),
      rx: cornerOf(node.kind),
    }),
    element("text", { class: "label", x: left, y: round(firstLine) }, label),
    ...marks.map((text, at) =>
      element(
        "text",
        {
          class: `small ${node.marks[at]!.tone}`,
          x: left,
          y: round(firstLine + MARK_LINE * (at + 1)),
        },
        text,
      )
    ),
  ];
  const kind = ["node", node.kind, tone, ...node.focus ? ["focus"] : []].join(" ");
  return node.href === undefined
    ? element("g", { class: kind }, ...shapes)
    : element("a", { class: kind, href: node.href }, ...shapes);
}

/** Gateways have round ends, so that their kind can be seen without colors. */
function cornerOf(kind: keyof typeof NODE_KINDS): number {
  return kind === "gateway" ? 16 : kind === "service" ? 5 : 0;
}
