/**
 * The settings of a mesh among the documents of a text: what the mesh configuration's file, or that
 * of the networks, would say, with a `kind` that tells which it is.
 *
 * @module
 */
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { readMeshConfig } from "./mesh_config.ts";
import { defaultMeshConfig } from "./mesh_defaults.ts";
import { readMeshNetworks } from "./mesh_networks.ts";
import type { Report } from "../problem.ts";
import { isMap } from "../read/well_known.ts";

/** Settings that were read. */
export type MeshSettings =
  | { readonly kind: "MeshConfig"; readonly value: MeshConfig }
  | { readonly kind: "MeshNetworks"; readonly value: MeshNetworks };

/** Keys that say what a document is, and are nothing of its content. */
const HEADER: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

/**
 * Reads settings over the built-in ones, as the file's would be; `undefined` when the
 * value is something else.
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
