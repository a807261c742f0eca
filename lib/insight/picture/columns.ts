/**
 * Columns of a graph: edges lead from left to right where they can. An edge over several columns
 * has an empty place in each column between, so that it passes no node.
 *
 * @module
 */
import { byText, type GraphEdge, type GraphNode } from "./graph.ts";

/** A place in a column: a node, or an edge that passes. */
export interface Slot {
  readonly id: string;
  /** Unset where an edge passes. */
  readonly node?: GraphNode;
}

/** An edge with the slots that it leads through, from left to right. */
export interface Way {
  readonly edge: GraphEdge;
  readonly slots: readonly string[];
  /** True if the edge leads from right to left. */
  readonly reversed: boolean;
}

export interface Columns {
  readonly columns: readonly (readonly Slot[])[];
  readonly ways: readonly Way[];
}

/** Number of passes in which slots are moved towards their neighbours. */
const SWEEPS = 8;

/** Orders the nodes of a graph, each of which has an edge, in columns. */
export function columnsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Columns {
  const directed = withoutCycles(nodes, edges);
  const at = depths(nodes, directed);
  const columns: Slot[][] = Array.from(
    { length: Math.max(...at.values()) + 1 },
    () => [],
  );
  for (const node of nodes) columns[at.get(node.id)!]!.push({ id: node.id, node });
  const ways = directed.map(({ left, right, edge }, number): Way => {
    const slots = [left];
    for (let column = at.get(left)! + 1; column < at.get(right)!; column++) {
      const id = JSON.stringify([number, column]);
      columns[column]!.push({ id });
      slots.push(id);
    }
    return { edge, slots: [...slots, right], reversed: left !== edge.from };
  });
  return { columns: ordered(columns, ways), ways };
}

interface Directed {
  readonly left: string;
  readonly right: string;
  readonly edge: GraphEdge;
}

/** Turns the edges around that would close a cycle. */
function withoutCycles(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Directed[] {
  const out = Map.groupBy(edges, ({ from }) => from);
  const targets = new Set(edges.map(({ to }) => to));
  const state = new Map<string, "open" | "done">();
  const found: Directed[] = [];
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const edge of out.get(id) ?? []) {
      const back = state.get(edge.to) === "open";
      found.push(
        back ? { left: edge.to, right: id, edge } : { left: id, right: edge.to, edge },
      );
      if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, "done");
  };
  const sources = nodes.filter(({ id }) => !targets.has(id));
  for (const { id } of [...sources, ...nodes]) if (!state.has(id)) visit(id);
  return found;
}

/** The column of each node: behind all that lead to it, and sources next to what they lead to. */
function depths(nodes: readonly GraphNode[], edges: readonly Directed[]): Map<string, number> {
  const into = Map.groupBy(edges, ({ right }) => right);
  const out = Map.groupBy(edges, ({ left }) => left);
  const found = new Map<string, number>();
  const depth = (id: string): number => {
    const known = found.get(id);
    if (known !== undefined) return known;
    const before = (into.get(id) ?? []).map(({ left }) => depth(left) + 1);
    const own = Math.max(0, ...before);
    found.set(id, own);
    return own;
  };
  for (const { id } of nodes) depth(id);
  for (const { id } of nodes) {
    if (into.has(id)) continue;
    found.set(id, Math.min(...(out.get(id) ?? []).map(({ right }) => found.get(right)!)) - 1);
  }
  return found;
}

/** Moves slots towards their neighbours, so that fewer edges cross. */
function ordered(columns: readonly Slot[][], ways: readonly Way[]): Slot[][] {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, value: string) =>
    void map.set(key, [...map.get(key) ?? [], value]);
  for (const { slots } of ways) {
    for (let at = 1; at < slots.length; at++) {
      add(before, slots[at]!, slots[at - 1]!);
      add(after, slots[at - 1]!, slots[at]!);
    }
  }
  const sorted = columns.map((column) => column.toSorted((a, b) => byText(a.id, b.id)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forward = sweep % 2 === 0;
    const numbers = sorted.keys();
    for (const at of forward ? numbers : [...numbers].reverse()) {
      const beside = sorted[forward ? at - 1 : at + 1];
      if (beside !== undefined) {
        sorted[at] = towards(sorted[at]!, beside, forward ? before : after);
      }
    }
  }
  return sorted;
}

/** Sorts a column by the middle of the neighbours of each slot; a slot without any keeps its place. */
function towards(
  column: readonly Slot[],
  beside: readonly Slot[],
  neighbours: ReadonlyMap<string, readonly string[]>,
): Slot[] {
  const place = new Map(beside.map(({ id }, at) => [id, (at + 0.5) / beside.length]));
  const wish = (slot: Slot, at: number): number => {
    const near = (neighbours.get(slot.id) ?? []).map((id) => place.get(id)!);
    return near.length === 0
      ? (at + 0.5) / column.length
      : near.reduce((sum, one) => sum + one, 0) / near.length;
  };
  return column.map((slot, at) => ({ slot, wish: wish(slot, at) }))
    .sort((a, b) => a.wish - b.wish || byText(a.slot.id, b.slot.id))
    .map(({ slot }) => slot);
}
