import { dataError } from "../../lib/cli/mod.ts";
import type { ConfigObject } from "../../lib/model/mod.ts";
import { OfflineMesh } from "../../lib/offline/mod.ts";
import { parseMeshConfig } from "../../lib/schema/mod.ts";
import { checkConfigFiles } from "../../lib/sources/mod.ts";
import { type Io, readInput } from "../../lib/cli/mod.ts";
import { printable } from "../../lib/base/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";

/** Names of the files of a mesh. */
export interface MeshFiles {
  /** Files and directories, read as a daemon reads its configuration directory. */
  readonly configDir: readonly string[];
  /** Default namespace of objects; empty for `default`. */
  readonly namespace: string;
  /** Empty: the default mesh configuration. */
  readonly meshConfigFile: string;
}

/** The content of the files. */
export interface MeshContent {
  readonly objects: readonly ConfigObject[];
  readonly mesh?: MeshConfig;
}

/**
 * Reads files as a daemon does: rejected documents are left out, with a warning.
 *
 * @throws {MeshError} for files that cannot be read, and for an invalid mesh configuration
 */
export async function readMesh(files: MeshFiles, io: Io): Promise<MeshContent> {
  const namespace = files.namespace === "" ? undefined : files.namespace;
  const { objects, problems } = await checkConfigFiles(files.configDir, {
    namespace,
    foreign: () => {},
  });
  for (const { file, line, message } of problems) {
    io.err(`${printable(`Warning: ${file}:${line}: left out: ${message}`)}\n`);
  }
  if (objects.length === 0) {
    throw dataError(
      "the files have no object of the mesh",
      "Name the configuration by --config-dir.",
    );
  }
  if (files.meshConfigFile === "") return { objects };
  const { meshConfigFile: file } = files;
  const { value, problems: faults } = parseMeshConfig(await readInput(file, io), file);
  if (value === undefined) {
    throw dataError(`${file}:${faults[0]?.line}: ${faults[0]?.message}`, faults[0]?.remedy);
  }
  return { objects, mesh: value };
}

/** The mesh of files. */
export async function openMesh(files: MeshFiles, io: Io): Promise<OfflineMesh> {
  return OfflineMesh.of(await readMesh(files, io)).mesh;
}
