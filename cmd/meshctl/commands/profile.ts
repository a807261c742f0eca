/**
 * `profile`: what installations begin with.
 *
 * @module
 */
import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS, outputFlag } from "./flags.ts";

const CHARTS: readonly FlagSpec[] = [
  flag("charts", "string", "Deprecated; use --manifests", { complete: "directory" }),
  MANIFESTS,
];

const list: CommandSpec = {
  name: "list",
  summary: "List the profiles and the platforms",
  examples: ["meshctl profile list", "meshctl profile list -d charts/"],
  flags: CHARTS,
  run: async (call) => (await room()).listProfiles(call),
};

const dump: CommandSpec = {
  name: "dump",
  summary: "Print a profile with files and settings over it",
  description:
    "Prints the MeshOperator that results from a profile, files and settings. The form flags\n" +
    "is that of --set.",
  examples: [
    "meshctl profile dump demo",
    "meshctl profile dump --config-path components.pilot",
    "meshctl profile dump -f mesh.yaml -o flags",
  ],
  args: [{ name: "profile", description: "Name of the profile; default", optional: true }],
  flags: [
    ...CHARTS,
    flag("config-path", "string", "Only the part at this path, such as components.pilot", {
      short: "p",
    }),
    flag("filename", "stringSlice", "MeshOperator files, later ones override earlier ones", {
      short: "f",
      complete: "file",
    }),
    outputFlag(["yaml", "json", "flags"], "yaml"),
    flag("set", "stringArray", "Override path=value; may be repeated", { short: "s" }),
  ],
  run: async (call) => (await room()).dumpProfile(call),
};

const diff: CommandSpec = {
  name: "diff",
  summary: "Compare two profiles or files with a MeshOperator",
  description:
    "Prints the differences of two effective documents; the status is 1 if there are some.\n" +
    "A name with a dot or a slash is a file.",
  examples: ["meshctl profile diff default demo", "meshctl profile diff default ./mesh.yaml"],
  args: [
    { name: "first", description: "Profile or file", complete: "file" },
    { name: "second", description: "Profile or file", complete: "file" },
  ],
  flags: CHARTS,
  run: async (call) => (await room()).diffProfiles(call),
};

async function room() {
  return await import("../../../lib/cluster/manifests/mod.ts");
}

/** `profile` and its sub-commands. */
export const profile: CommandSpec = {
  name: "profile",
  summary: "Commands about profiles of installations",
  commands: [list, dump, diff],
};
