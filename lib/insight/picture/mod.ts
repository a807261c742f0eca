/**
 * Pictures as trees of SVG elements: graphs of nodes with edges, and plots of numbers over time.
 * Pure: equal input gives an equal picture. `element.ts` has the tree, which pages turn into HTML.
 *
 * @module
 */
export type { SvgElement } from "./element.ts";
export type { Drawn, GraphEdge, GraphLimits, GraphNode, LineKind, Mark, Tone } from "./graph.ts";
export { LINE_KINDS, NODE_KINDS, type NodeKind } from "./graph.ts";
export { bounded } from "./bound.ts";
export { type PlacedEdge, type PlacedGraph, type PlacedNode, placeGraph } from "./place.ts";
export { drawGraph, lineSample } from "./draw.ts";
export { drawPlot, type Plot, type PlotPoint } from "./plot.ts";
