/**
 * Commands about installations. They are not implemented; their flags and help are there.
 *
 * @module
 */
import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS, REVISION, SKIP_CONFIRMATION } from "./flags.ts";
import { notYet } from "./not_yet.ts";

const SET = flag("set", "stringArray", "Override path=value; may be repeated", { short: "s" });
const FORCE = flag("force", "bool", "Go on despite validation errors");
const DRY_RUN = flag("dry-run", "bool", "Print the changes only");

const INSTALL_FLAGS: readonly FlagSpec[] = [
  flag("charts", "string", "Deprecated; use --manifests", { complete: "directory" }),
  DRY_RUN,
  flag("filename", "stringSlice", "MeshOperator files, later ones override earlier ones", {
    short: "f",
    complete: "file",
  }),
  FORCE,
  MANIFESTS,
  flag("readiness-timeout", "duration", "Longest wait until everything is ready", {
    default: "5m0s",
  }),
  REVISION,
  SET,
  SKIP_CONFIRMATION,
  flag("verify", "bool", "Verify the installation afterwards"),
];

/** `install`, and `upgrade` with the same flags. */
export const install: CommandSpec = notYet({
  name: "install",
  aliases: ["apply"],
  summary: "Install or reconfigure the mesh in a cluster",
  examples: ["meshctl install --set profile=demo", "meshctl install -f mesh.yaml --dry-run"],
  flags: INSTALL_FLAGS,
});

export const upgrade: CommandSpec = notYet({
  name: "upgrade",
  summary: "Upgrade the mesh in a cluster",
  examples: ["meshctl upgrade -f mesh.yaml"],
  flags: INSTALL_FLAGS,
});

export const uninstall: CommandSpec = notYet({
  name: "uninstall",
  summary: "Remove the mesh from a cluster",
  examples: ["meshctl uninstall --revision canary", "meshctl uninstall --purge"],
  flags: [
    DRY_RUN,
    flag("filename", "string", "MeshOperator file", { short: "f", complete: "file" }),
    FORCE,
    MANIFESTS,
    flag("purge", "bool", "Delete all resources of all versions"),
    REVISION,
    SET,
    SKIP_CONFIRMATION,
    flag("verbose", "bool", "Print more", { short: "v" }),
  ],
});

/** Beside the commands that only print. */
export const manifestInstall: CommandSpec = notYet({
  name: "install",
  aliases: ["apply"],
  summary: "Install or reconfigure the mesh in a cluster",
  flags: INSTALL_FLAGS,
});
