/**
 * The mesh configuration for those who write it in parts: its check, and which of its fields are texts.
 *
 * @module
 */
import { type DescField, type DescMessage, ScalarType } from "../../../kit/proto/mod.ts";
import type { Path } from "../../../kit/text/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type Finding, newReport } from "../problem.ts";
import { fieldNamed } from "../read/mod.ts";
import { readMeshConfig } from "./mesh_config.ts";
import { defaultMeshConfig } from "./mesh_defaults.ts";

/** The findings about a plain value; unknown fields are errors. */
export function checkMeshConfig(value: unknown): {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
} {
  const report = newReport("errors");
  readMeshConfig(value, defaultMeshConfig(), report);
  return report;
}

/** Reports if the value at a path is a text, such as one of `defaultConfig.proxyMetadata`. */
export function isMeshConfigText(path: Path): boolean {
  return isTextBelow(MeshConfigSchema, path);
}

function isTextBelow(schema: DescMessage, path: Path): boolean {
  const [name, ...rest] = path;
  const field = typeof name === "string" ? fieldNamed(schema, name) : undefined;
  if (field === undefined) return false;
  // The key of a map and the index of a list have no type of their own.
  const below = field.fieldKind === "map" || field.fieldKind === "list" ? rest.slice(1) : rest;
  if (below.length === rest.length && isCollection(field)) return false;
  if (field.message !== undefined) return isTextBelow(field.message, below);
  return below.length === 0 && field.scalar === ScalarType.STRING;
}

function isCollection({ fieldKind }: DescField): boolean {
  return fieldKind === "map" || fieldKind === "list";
}
