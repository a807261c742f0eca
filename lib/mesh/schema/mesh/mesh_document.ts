/**
 * Mesh settings as a document: the content of the file with the mesh configuration or the networks,
 * with a `kind`.
 *
 * @module
 */
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { readMeshConfig } from "./mesh_config.ts";
import { defaultMeshConfig } from "./mesh_defaults.ts";
import { readMeshNetworks } from "./mesh_networks.ts";
import type { Report } from "../problem.ts";
import { isMap } from "../read/mod.ts";

/** Mesh settings of a document. */
export type MeshSettings =
  | { readonly kind: "MeshConfig"; readonly value: MeshConfig }
  | { readonly kind: "MeshNetworks"; readonly value: MeshNetworks };

/** Keys that identify a document and are not part of its content. */
const HEADER: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

/**
 * Reads settings over the built-in ones, like those of the files; `undefined` if the value has
 * another kind.
 */
export function readMeshSettings(value: unknown, report: Report): MeshSettings | undefined {
  if (!isMap(value)) return undefined;
  const { kind } = value;
  if (kind !== "MeshConfig" && kind !== "MeshNetworks") return undefined;
  const content = Object.fromEntries(Object.entries(value).filter(([key]) => !HEADER.has(key)));
  return kind === "MeshConfig"
    ? { kind, value: readMeshConfig(content, defaultMeshConfig(), report) }
    : { kind, value: readMeshNetworks(content, report) };
}
