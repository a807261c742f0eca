/**
 * The engine: tables of rows, derived cells with recorded reads, indexes,
 * collections with logs, layers. Knows nothing of meshes.
 *
 * @module
 */
export type * from "./api.ts";
