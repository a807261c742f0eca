/**
 * The choice of the nodes and lines of a graph that are drawn, so that it stays readable.
 *
 * @module
 */
import {
  byText,
  type Drawn,
  type GraphEdge,
  type GraphLimits,
  type GraphNode,
  type LineKind,
  worst,
} from "./graph.ts";

/** 40 nodes fit on a page; more lines than 100 cannot be followed. */
const LIMITS: GraphLimits = { nodes: 40, lines: 100 };

/** Ranks of kinds of edges: a line that stands for several has the first one. */
const RANKS: Readonly<Record<LineKind, number>> = {
  seen: 0,
  configuration: 1,
  waypoint: 2,
  mirror: 3,
  import: 4,
};
const KINDS = (Object.keys(RANKS) as LineKind[]).sort((a, b) => RANKS[a] - RANKS[b]);

/**
 * Chooses what is drawn: the node in focus, then nodes with troubles, then those with the most
 * lines; of the lines those with troubles, then those that were seen.
 */
export function bounded(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { nodes: mostNodes, lines: mostLines }: GraphLimits = LIMITS,
): Drawn {
  const lines = joined(edges);
  const degree = degreesOf(lines);
  const ranked = [...nodes].sort((a, b) =>
    Number(b.focus ?? false) - Number(a.focus ?? false) ||
    Number(isBad(b)) - Number(isBad(a)) ||
    (degree.get(b.id) ?? 0) - (degree.get(a.id) ?? 0) ||
    byText(a.id, b.id)
  );
  const byId = (a: GraphNode, b: GraphNode) => byText(a.id, b.id);
  const drawn = ranked.slice(0, mostNodes).sort(byId);
  const ids = new Set(drawn.map(({ id }) => id));
  const between = lines.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const shown = between.sort(byImportance).slice(0, mostLines).sort(byEnds);
  return {
    nodes: drawn,
    lines: shown,
    moreNodes: ranked.slice(mostNodes).sort(byId),
    moreLines: lines.length - shown.length,
  };
}

function isBad({ marks }: GraphNode): boolean {
  return marks.some(({ tone }) => tone === "bad");
}

function degreesOf(lines: readonly GraphEdge[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { from, to } of lines) {
    for (const id of [from, to]) found.set(id, (found.get(id) ?? 0) + 1);
  }
  return found;
}

/** Joins the edges from one node to another; edges of a node to itself are not drawn. */
function joined(edges: readonly GraphEdge[]): GraphEdge[] {
  const pairs = Map.groupBy(
    edges.filter(({ from, to }) => from !== to),
    ({ from, to }) => JSON.stringify([from, to]),
  );
  return [...pairs.values()].map((some): GraphEdge => {
    const { from, to } = some[0]!;
    const kind = KINDS.find((one) => some.some((edge) => edge.kind === one))!;
    return { from, to, kind, label: labelOf(some, kind), tone: worst(some.map((e) => e.tone)) };
  }).sort(byEnds);
}

/** The label of the line's kind; their number if they say different things. */
function labelOf(edges: readonly GraphEdge[], kind: LineKind): string {
  const of = new Set(edges.filter((edge) => edge.kind === kind).map(({ label }) => label));
  return of.size === 1 ? [...of][0]! : `${of.size} ways`;
}

function byImportance(a: GraphEdge, b: GraphEdge): number {
  const bad = ({ tone }: GraphEdge) => Number(tone === "bad");
  return bad(b) - bad(a) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || byEnds(a, b);
}

function byEnds(a: GraphEdge, b: GraphEdge): number {
  return byText(a.from, b.from) || byText(a.to, b.to);
}
