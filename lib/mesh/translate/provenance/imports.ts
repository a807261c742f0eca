/**
 * The egress listener of a Sidecar that imports a resource. It is not in the resource's own cell, which
 * clients without a Sidecar share.
 *
 * @module
 */
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { CellRef, View } from "../../graph/mod.ts";
import { importNoteOf } from "../resources/mod.ts";

/** Records the egress listener that imports the host of a resource, where a Sidecar applies. */
export function recordImport(
  record: (decision: RecordedDecision) => void,
  mesh: Mesh,
  view: View,
  { cell, name }: { readonly cell: CellRef; readonly name: string },
): void {
  const layer = view.layers.find((l) => l.get(name) !== undefined);
  const note = layer && importNoteOf(layer);
  if (note === undefined) return;
  const host = hostOf(layer!.spec.resources.keyCodec.decode(cell.key));
  const { name: table, keyCodec } = mesh.scopes.egressHosts;
  const key = keyCodec.encode({ ...note.importedBy, listener: undefined });
  const imports = mesh.graph.explain({ table, key });
  for (const decision of imports?.decisions ?? []) {
    if (decision.of[0] === host) record({ ...decision, of: [name] });
  }
}

/** The host in a key; keys of derived layers contain the key of the original as `of`. */
function hostOf(key: unknown): string | undefined {
  if (typeof key !== "object" || key === null) return undefined;
  if ("host" in key && typeof key.host === "string") return key.host;
  return "of" in key ? hostOf(key.of) : undefined;
}
