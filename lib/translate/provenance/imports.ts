/**
 * Which egress listener of a Sidecar lets a proxy see a resource. That is not in
 * the resource's own cell, which those share who see it without a Sidecar.
 *
 * @module
 */
import { egressKeys, type Mesh, sidecarKeys, type Tell } from "../../derive/mod.ts";
import type { CellRef, Collection, View } from "../../graph/mod.ts";
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
  const host = baseKey(layer!, cell).split("|")[at];
  const imports = mesh.graph.explain({
    table: mesh.scopes.egressHosts.name,
    key: egressKeys.encode({ ...sidecarKeys.decode(scope), listener: undefined }),
  });
  for (const decision of imports?.decisions ?? []) {
    if (decision.of[0] === host) tell({ ...decision, of: [name] });
  }
}

/** The key of a resource without the patches that its key may begin with. */
function baseKey({ spec }: Collection, { key }: CellRef): string {
  const decoded = spec.resources.keyCodec.decode(key);
  return typeof decoded === "object" && decoded !== null && "base" in decoded
    ? `${decoded.base}`
    : key;
}
