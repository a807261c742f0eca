/**
 * Flags of commands about a mesh from files, a daemon or a cluster.
 *
 * @module
 */
import type { FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";

/** The files of a mesh. */
export const FILE_FLAGS: readonly FlagSpec[] = [
  flag("config-dir", "stringArray", "Files and directories with the configuration of the mesh", {
    complete: "file",
  }),
  flag("meshConfigFile", "string", "Mesh configuration", { complete: "file" }),
];

/** The daemon: its debug pages by address, otherwise as other commands find it. */
export const DAEMON_FLAGS: readonly FlagSpec[] = [
  flag(
    "daemon",
    "string",
    "Address of the daemon's debug pages, host:port; of several replicas with commas",
  ),
  REVISION,
  ...XDS_FLAGS,
];
