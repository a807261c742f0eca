/**
 * The mesh of a command, from files or from a live cluster. What it is made of is loaded when it is
 * made, because questions to a daemon need none of it.
 *
 * @module
 */
import { dataError, type Invocation, type Io, readInput, usageError } from "../../kit/cli/mod.ts";
import type { ConfigObject } from "../../mesh/model/mod.ts";
import type { SeenDocument } from "../../mesh/schema/mod.ts";
import type { KeyFetchOptions } from "../../mesh/sources/mod.ts";
import type { ManifestSet } from "../mesh_input/mod.ts";
import type { OfflineMesh } from "../offline/mod.ts";
import { type MeshError, printable } from "../../kit/base/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { namesCluster, openCluster } from "../cluster_access/mod.ts";

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
  readonly networks?: MeshNetworks;
  /** The files; unset for objects of a cluster. */
  readonly manifests?: ManifestSet;
}

/**
 * Reads files as a daemon does, and Services and workloads in them as a daemon reads those of a cluster.
 * Rejected documents are left out, with a warning.
 *
 * @throws {MeshError} for files that cannot be read, and for an invalid mesh configuration
 */
export async function readMesh(files: MeshFiles, io: Io): Promise<MeshContent> {
  const namespace = files.namespace === "" ? undefined : files.namespace;
  const { checkConfigFiles } = await import("../../mesh/sources/mod.ts");
  const seen: SeenDocument[] = [];
  const { objects: own, problems } = await checkConfigFiles(files.configDir, {
    namespace,
    foreign: () => {},
    seen: (document) => seen.push(document),
  });
  for (const { file, line, message } of problems) {
    io.err(`${printable(`Warning: ${file}:${line}: left out: ${message}`)}\n`);
  }
  const { manifestRows } = await import("../mesh_input/mod.ts");
  const rows = await manifestRows(seen, {
    namespace,
    objects: own,
    warn: (message) => io.err(`${printable(`Warning: ${message}`)}\n`),
  });
  const objects = [...own, ...rows];
  if (objects.length === 0) {
    throw dataError(
      "the files have no object of the mesh",
      "Name the configuration by --config-dir.",
    );
  }
  const manifests = { seen, objects: own, rows };
  if (files.meshConfigFile === "") return { objects, manifests };
  return { objects, manifests, mesh: await meshConfigOf(files.meshConfigFile, io) };
}

async function meshConfigOf(file: string, io: Io): Promise<MeshConfig> {
  const { parseMeshConfig } = await import("../../mesh/schema/mod.ts");
  const { value, problems: faults } = parseMeshConfig(await readInput(file, io), file);
  if (value !== undefined) return value;
  throw dataError(`${file}:${faults[0]?.line}: ${faults[0]?.message}`, faults[0]?.remedy);
}

/** The files that `--config-dir` names; `undefined` without it. */
export function meshFiles({ flags }: Pick<Invocation, "flags">): MeshFiles | undefined {
  const configDir = flags.list("config-dir");
  if (configDir.length === 0) return undefined;
  return {
    configDir,
    namespace: flags.string("namespace"),
    meshConfigFile: flags.string("meshConfigFile"),
  };
}

/**
 * The objects of `--config-dir`, otherwise those of the live cluster with its Services and pods.
 *
 * @throws {MeshError} `usage` if neither is named
 */
export async function readNamedMesh(call: Invocation): Promise<MeshContent> {
  const { flags, io } = call;
  const files = meshFiles(call);
  if (files !== undefined) return await readMesh(files, io);
  if (!await namesCluster(flags)) throw noMesh("Give --config-dir DIR, or --orchconfig FILE.");
  const { readLiveMesh } = await import("../mesh_input/mod.ts");
  using cluster = await openCluster(call);
  const live = await readLiveMesh(cluster, {
    revision: flags.has("revision") ? flags.string("revision") : "",
    timeoutMs: flags.number("timeout"),
    warn: (message) => io.err(`${printable(`Warning: ${message}`)}\n`),
  });
  const file = flags.string("meshConfigFile");
  return file === "" ? live : { ...live, mesh: await meshConfigOf(file, io) };
}

/** The error of a command that needs a mesh and has none. */
export function noMesh(remedy: string): MeshError {
  return usageError("no mesh is named", remedy);
}

/** The key sets of tokens. */
export interface KeyOptions {
  /** A key set (JWKS) in place of those that a daemon or proxies fetch. */
  readonly keys?: string | undefined;
  /** Set: the key sets of the configuration are fetched. */
  readonly fetch?: KeyFetchOptions | undefined;
}

/** The mesh of files. Key sets that cannot be fetched are warned about. */
export async function openMesh(
  files: MeshFiles,
  io: Io,
  { keys, fetch }: KeyOptions = {},
): Promise<OfflineMesh> {
  const { OfflineMesh } = await import("../offline/mod.ts");
  const { mesh, pipeline } = OfflineMesh.of({ ...await readMesh(files, io), keys });
  if (fetch === undefined) return mesh;
  const { fetchKeySets } = await import("../../mesh/sources/mod.ts");
  const { keySets, faults } = await fetchKeySets(mesh.keySetNames(), fetch);
  for (const fault of faults) io.err(`${printable(`Warning: ${fault}`)}\n`);
  pipeline.apply({ keySets });
  return mesh;
}
