/**
 * The inputs of the functions that create derived tables.
 *
 * @module
 */
import type { Graph, Read } from "../../graph/mod.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "../inputs/mod.ts";

/** The graph with its input tables and indexes. */
export interface MeshInputs {
  readonly graph: Graph;
  readonly tables: Tables;
  readonly indexes: Indexes;
  /** The mesh's DNS suffix, for example `cluster.local`. */
  readonly domain: string;
  /** Reads the root namespace from the mesh configuration. */
  readonly rootNamespace: (read: Read) => string;
}
