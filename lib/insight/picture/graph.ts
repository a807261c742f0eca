/**
 * Nodes and edges that are drawn.
 *
 * @module
 */

/** Color of a mark; the color adds no information to its words. */
export type Tone = "good" | "bad" | "warn" | "plain";

/** Kinds of nodes, each with its words in the legend. */
export const NODE_KINDS = {
  service: "service",
  gateway: "Gateway",
  workload: "workload of no single service",
  host: "host of no service",
} as const;

export type NodeKind = keyof typeof NODE_KINDS;

/** Kinds of lines, each with its words in the legend. */
export const LINE_KINDS = {
  configuration: "routed by configuration",
  import: "imported by a Sidecar",
  mirror: "mirrored",
  waypoint: "through a waypoint, in tunnels",
  seen: "seen in the last minute",
} as const;

export type LineKind = keyof typeof LINE_KINDS;

/** A line of words in a node. */
export interface Mark {
  readonly text: string;
  readonly tone: Tone;
}

export interface GraphNode {
  /** Unique; the order of ids decides where nothing else does. */
  readonly id: string;
  readonly kind: NodeKind;
  /** Shown in the node, shortened in its middle if it is long. */
  readonly label: string;
  /** Said by screen readers and shown when a pointer rests on the node. */
  readonly name: string;
  /** Lines below the label. */
  readonly marks: readonly Mark[];
  /** Address of the node's page. */
  readonly href?: string;
  /** True for the node that the picture is about: it is never left out. */
  readonly focus?: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: LineKind;
  /** Shown at the end of the edge; may be empty. */
  readonly label: string;
  readonly tone: Tone;
}

/** The greatest number of nodes and of lines in a picture. */
export interface GraphLimits {
  readonly nodes: number;
  readonly lines: number;
}

/** The drawn part of a graph, and the rest. */
export interface Drawn {
  readonly nodes: readonly GraphNode[];
  /** Edges between drawn nodes, joined to one line for each pair. */
  readonly lines: readonly GraphEdge[];
  readonly moreNodes: readonly GraphNode[];
  /** Number of lines that are left out: over the limit, or with an end that is left out. */
  readonly moreLines: number;
}

const TONES: readonly Tone[] = ["bad", "warn", "good", "plain"];

/** Returns the tone that needs the most attention. */
export function worst(tones: Iterable<Tone>): Tone {
  const found = new Set(tones);
  return TONES.find((tone) => found.has(tone)) ?? "plain";
}

/** Compares texts by code units, so that no locale matters. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
