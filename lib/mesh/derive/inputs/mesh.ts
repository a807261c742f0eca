/**
 * The mesh configuration, read field by field, so that a change of one field
 * reaches only what depends on it.
 *
 * @module
 */
import { type Derived, type Graph, type Read, text } from "../../graph/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { Tables } from "./tables.ts";

/** Key of the one row in the mesh tables. */
export const MESH_ROW = "config";

/** Reads one field of the mesh configuration. */
export type MeshField = <K extends keyof MeshConfig>(read: Read, field: K) => MeshConfig[K];

/** Creates the table of fields. The row `config` must be set before anything reads. */
export function deriveMesh(graph: Graph, tables: Tables): MeshField {
  const fields: Derived<unknown> = graph.derive("mesh.field", text, (read, key) => {
    const row = read.get(tables.mesh, MESH_ROW);
    if (row === undefined) throw new Error("the mesh configuration was not set");
    return row[key as keyof MeshConfig];
  });
  return <K extends keyof MeshConfig>(read: Read, field: K): MeshConfig[K] =>
    read.get(fields, field) as MeshConfig[K];
}
