/**
 * Checks the mesh configuration with the reader of the daemon.
 *
 * @module
 */
import { checkMeshConfig, isMeshConfigText } from "../../mesh/schema/mod.ts";
import type { Path } from "../../kit/text/mod.ts";
import type { Report } from "./problems.ts";
import { isEmpty, type Tree } from "./tree.ts";

const ROOT = ["spec", "meshConfig"];

/** Reports what the daemon would refuse, and unknown fields; warns of fields without effect. */
export function checkMesh(config: Tree, { problem, warning }: Report): void {
  if (isEmpty(config)) return;
  const { errors, warnings } = checkMeshConfig(config);
  for (const { path, ...finding } of errors) problem({ ...finding, path: [...ROOT, ...path] });
  for (const { path, ...finding } of warnings) warning({ ...finding, path: [...ROOT, ...path] });
}

/** Reports if the mesh configuration has a text at a path. */
export function isMeshText(path: Path): boolean {
  return isMeshConfigText(path);
}
