/**
 * The public types of the engine: graph, tables, collections, views, transactions, explanations.
 *
 * @module
 */
export type * from "./answers.ts";
export type * from "./collections.ts";
export type * from "./graph.ts";
export type * from "./rows.ts";
export type * from "./tables.ts";
