/**
 * Flags of commands about a mesh from files or a daemon.
 *
 * @module
 */
import { type FlagSpec, type Invocation, usageError } from "../../../lib/cli/mod.ts";
import type { DaemonPages } from "../daemon_pages.ts";
import type { MeshFiles } from "../offline_files.ts";
import { flag } from "./flags.ts";

/** The files of a mesh. */
export const FILE_FLAGS: readonly FlagSpec[] = [
  flag("config-dir", "stringArray", "Files and directories with the configuration of the mesh", {
    complete: "file",
  }),
  flag("meshConfigFile", "string", "Mesh configuration", { complete: "file" }),
];

/** The daemon. */
export const DAEMON_FLAGS: readonly FlagSpec[] = [
  flag("daemon", "string", "Debug address of a daemon, host:port"),
  flag("timeout", "duration", "Longest wait for the daemon", { default: "30s" }),
];

/** The files that the flags name. */
export function meshFiles({ flags }: Invocation): MeshFiles {
  const configDir = flags.list("config-dir");
  if (configDir.length === 0) {
    throw usageError("no configuration is named", "Give --config-dir DIR.");
  }
  return {
    configDir,
    namespace: flags.string("namespace"),
    meshConfigFile: flags.string("meshConfigFile"),
  };
}

/** The daemon that the flags name; `undefined` for none. */
export function daemonPages({ flags, signal }: Invocation): DaemonPages | undefined {
  const address = flags.string("daemon");
  return address === "" ? undefined : { address, timeoutMs: flags.number("timeout"), signal };
}
