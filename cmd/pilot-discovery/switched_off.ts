/**
 * Settings of the mesh configuration that a variable switches off: what acts in principle, and is
 * not named as idle when the configuration is read.
 *
 * @module
 */
import { MESH_ROW } from "../../lib/derive/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import type { Features, Translation } from "../../lib/translate/mod.ts";

/** A warning for each of them, at no certain place of the file. */
export function switchedOffWarnings(
  { mesh }: Pick<Translation, "mesh">,
  { multiRoot }: Pick<Features, "multiRoot">,
): SchemaProblem[] {
  const authorities = mesh.tables.mesh.peek(MESH_ROW)?.caCertificates ?? [];
  if (multiRoot || authorities.length === 0) return [];
  return [{
    file: "mesh configuration",
    line: 1,
    column: 1,
    path: "caCertificates",
    code: "switched-off",
    message: "these authorities are told to no agent",
    remedy: "Set MESH_MULTIROOT_MESH=true for the daemon, or remove them.",
  }];
}
