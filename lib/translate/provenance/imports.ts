/**
 * Which egress listener of a Sidecar lets a proxy see a resource. That is not in
 * the resource's own cell, which those share who see it without a Sidecar.
 *
 * @module
 */
import type { Mesh, Tell } from "../../derive/mod.ts";
import type { CellRef, View } from "../../graph/mod.ts";
import { scopeOf } from "../resources/mod.ts";

/** Tables of which a part of the key is the host that was imported, and which part. */
const HOST_AT: Readonly<Record<string, number>> = {
  "cds": 2,
  "eds": 1,
  "cds.placed": 2,
  "eds.placed": 1,
  "cds.grpc": 1,
  "cds.grpc.placed": 1,
  "lds.grpc.target": 2,
  "rds.grpc.target": 2,
};

/** Says which egress listener imports the host of a resource, if a Sidecar had to. */
export function tellImport(
  mesh: Mesh,
  view: View,
  cell: CellRef,
  name: string,
  tell: Tell,
): void {
  const layer = view.layers.find((l) => l.get(name) !== undefined);
  const scope = layer && scopeOf(layer);
  const table = cell.table.slice(cell.table.lastIndexOf("/") + 1);
  const at = HOST_AT[table];
  if (scope === undefined || at === undefined) return;
  // Keys of what is patched begin with the patches.
  const host = cell.key.slice(cell.key.lastIndexOf("!") + 1).split("|")[at];
  const imports = mesh.graph.explain({ table: mesh.scopes.egressHosts.name, key: `${scope}|*` });
  for (const decision of imports?.decisions ?? []) {
    if (decision.of[0] === host) tell({ ...decision, of: [name] });
  }
}
