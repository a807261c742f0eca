/**
 * The mesh as a graph: services, Gateways and workloads with marks, and edges from configuration
 * and from traffic that was seen. `view.ts` selects a namespace or the neighbourhood of a service.
 *
 * @module
 */
export type { MapWorkload } from "./workloads.ts";
export { type MapAbout, mapOf, type MapView, type NamespaceRow, namespacesOf } from "./view.ts";
export { type MapEdge, MOST_IMPORTS, percent, rateText, toneOf } from "./edges.ts";
export { type MapNode } from "./nodes.ts";
