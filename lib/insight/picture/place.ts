/**
 * Places of nodes, edges and labels, in pixels. Nodes do not overlap, texts stay in their nodes, and
 * labels of edges have free places before the nodes where the edges end.
 *
 * @module
 */
import { columnsOf, type Slot, type Way } from "./columns.ts";
import type { Drawn, GraphEdge, GraphNode } from "./graph.ts";
import { fitted, LABEL, SMALL } from "./measure.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly node: GraphNode;
  readonly width: number;
  readonly height: number;
  /** The label as it fits. */
  readonly label: string;
  /** The marks as they fit. */
  readonly marks: readonly string[];
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From left to right; horizontal at each point. */
  readonly points: readonly Point[];
  /** True if the arrow is at the left end. */
  readonly reversed: boolean;
  readonly label: string;
  /** Right end of the label's base line. */
  readonly labelAt: Point;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Four columns fit into a window of 1280 pixels. */
const BOX = 210;
const GUTTER = 125;
export const PADDING = 10;
const MARGIN = 6;
/** Space between nodes of a column. */
const GAP = 14;
/** Height of a place where an edge passes. */
const PASS = 6;
export const LABEL_LINE = 16;
export const MARK_LINE = 14;
const BORDERS = 14;
/** Height of a label of an edge, and of an edge without. */
const EDGE_LINE = 13;
const EDGE_BARE = 5;
/** Width of an arrow with the space beside it. */
export const ARROW = 8;
const EDGE_LABEL = GUTTER - ARROW - 14;
/** Columns of nodes without edges; as many as there are columns of a wide picture. */
const GRID = 4;

/** Places what is drawn: nodes with edges in columns, nodes without edges in rows below. */
export function placeGraph({ nodes, lines }: Drawn): PlacedGraph {
  const ends = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const linked = nodes.filter(({ id }) => ends.has(id));
  const above = linked.length === 0 ? EMPTY : placeColumns(linked, lines);
  const alone = nodes.filter(({ id }) => !ends.has(id));
  const top = above.height === 0 ? MARGIN : above.height + GAP;
  const grid = placeGrid(alone, top, Math.max(GRID, above.columns));
  const all = [...above.nodes, ...grid];
  return {
    width: Math.max(0, ...all.map(({ x, width }) => x + width)) + MARGIN,
    height: Math.max(0, ...all.map(({ y, height }) => y + height), above.height) + MARGIN,
    nodes: all,
    edges: above.edges,
  };
}

interface Above {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly height: number;
  readonly columns: number;
}

const EMPTY: Above = { nodes: [], edges: [], height: 0, columns: 0 };

function placeGrid(nodes: readonly GraphNode[], top: number, columns: number): PlacedNode[] {
  const found: PlacedNode[] = [];
  let y = top;
  for (let first = 0; first < nodes.length; first += columns) {
    const row = nodes.slice(first, first + columns);
    const height = Math.max(...row.map(heightOf));
    row.forEach((node, at) => found.push(box(node, { x: MARGIN + at * (BOX + GAP), y }, height)));
    y += height + GAP;
  }
  return found;
}

function heightOf({ marks }: GraphNode): number {
  return BORDERS + LABEL_LINE + MARK_LINE * marks.length;
}

function box(node: GraphNode, { x, y }: Point, height: number): PlacedNode {
  const inner = BOX - 2 * PADDING;
  return {
    node,
    x,
    y,
    width: BOX,
    height,
    label: fitted(node.label, LABEL, inner),
    marks: node.marks.map(({ text }) => fitted(text, SMALL, inner)),
  };
}

/** The vertical extent of a slot. */
interface Extent {
  readonly top: number;
  readonly height: number;
}

function placeColumns(nodes: readonly GraphNode[], lines: readonly GraphEdge[]): Above {
  const { columns, ways } = columnsOf(nodes, lines);
  const into = Map.groupBy(ways, ({ slots }) => slots.at(-1)!);
  const out = Map.groupBy(ways, ({ slots }) => slots[0]!);
  const heightOfSlot = ({ id, node }: Slot): number => {
    if (node === undefined) return PASS;
    const labels = (into.get(id) ?? []).map(({ edge }) => lineOf(edge));
    const incoming = labels.reduce((sum, one) => sum + one, 0);
    return Math.max(heightOf(node), incoming + 6, (out.get(id)?.length ?? 0) * EDGE_BARE + 6);
  };
  const tall = columns.map((column) =>
    column.reduce((sum, slot) => sum + heightOfSlot(slot) + GAP, -GAP)
  );
  const height = Math.max(...tall) + 2 * MARGIN;
  const extents = new Map<string, Extent>();
  const placed: PlacedNode[] = [];
  columns.forEach((column, number) => {
    let top = (height - tall[number]!) / 2;
    for (const slot of column) {
      const extent = { top, height: heightOfSlot(slot) };
      extents.set(slot.id, extent);
      if (slot.node !== undefined) {
        placed.push(box(slot.node, { x: leftOf(number), y: top }, extent.height));
      }
      top += extent.height + GAP;
    }
  });
  const numbers = new Map(columns.flatMap((column, at) => column.map(({ id }) => [id, at])));
  return {
    nodes: placed,
    edges: placeEdges(ways, extents, numbers),
    height,
    columns: columns.length,
  };
}

function leftOf(column: number): number {
  return MARGIN + column * (BOX + GUTTER);
}

function lineOf({ label }: GraphEdge): number {
  return label === "" ? EDGE_BARE : EDGE_LINE;
}

/** Gives each edge separate points at its ends, in the order of what it comes from and leads to. */
function placeEdges(
  ways: readonly Way[],
  extents: ReadonlyMap<string, Extent>,
  columns: ReadonlyMap<string, number>,
): PlacedEdge[] {
  const middle = (id: string) => extents.get(id)!.top + extents.get(id)!.height / 2;
  const ends = new Map<Way, number>();
  for (const [id, some] of Map.groupBy(ways, ({ slots }) => slots.at(-1)!)) {
    const list = some.toSorted((a, b) => middle(a.slots.at(-2)!) - middle(b.slots.at(-2)!));
    const total = list.reduce((sum, { edge }) => sum + lineOf(edge), 0);
    // Spare height is shared out, so that the points are spread over the node.
    const spare = (extents.get(id)!.height - total) / (list.length + 1);
    let y = extents.get(id)!.top;
    for (const way of list) {
      y += spare + lineOf(way.edge);
      ends.set(way, y);
    }
  }
  const starts = new Map<Way, number>();
  for (const [id, some] of Map.groupBy(ways, ({ slots }) => slots[0]!)) {
    const { top, height } = extents.get(id)!;
    const list = some.toSorted((a, b) => middle(a.slots[1]!) - middle(b.slots[1]!));
    list.forEach((way, at) => starts.set(way, top + height * (at + 1) / (list.length + 1)));
  }
  return ways.map((way): PlacedEdge => {
    const { slots, edge, reversed } = way;
    const first = leftOf(columns.get(slots[0]!)!) + BOX;
    const last = leftOf(columns.get(slots.at(-1)!)!);
    const passed = slots.slice(1, -1).flatMap((id): Point[] => {
      const x = leftOf(columns.get(id)!);
      return [{ x, y: middle(id) }, { x: x + BOX, y: middle(id) }];
    });
    const end = { x: last, y: ends.get(way)! };
    return {
      edge,
      points: [{ x: first, y: starts.get(way)! }, ...passed, end],
      reversed,
      label: fitted(edge.label, SMALL, EDGE_LABEL),
      labelAt: { x: end.x - ARROW - 2, y: end.y - 3 },
    };
  });
}
