/**
 * Commands about installations.
 *
 * @module
 */
import type { CommandSpec, FlagSpec, Invocation } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS, REVISION, SKIP_CONFIRMATION } from "./flags.ts";
import { installation } from "./installation.ts";

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
  flag("verbose", "bool", "Print how long each part took"),
  flag("verify", "bool", "Verify the installation afterwards"),
];

async function runInstall(call: Invocation): Promise<number> {
  const { room, parts } = await installation(call);
  return await room.runInstall(call, parts);
}

/** `install`, and `upgrade` with the same flags. */
export const install: CommandSpec = {
  name: "install",
  aliases: ["apply"],
  summary: "Install or reconfigure the mesh in a cluster",
  description:
    "Plans the objects of a profile, files and settings, compares them with the cluster, asks, and\n" +
    "applies them: definitions, the control plane, then gateways, each ready before the next. Objects\n" +
    "that an earlier installation of the revision made and this one does not have are removed. After\n" +
    "an interruption the same command finishes.",
  examples: [
    "meshctl install --set profile=demo",
    "meshctl install -f mesh.yaml --dry-run",
    "meshctl install --revision canary --set profile=minimal -y --verify",
  ],
  flags: INSTALL_FLAGS,
  run: runInstall,
};

export const upgrade: CommandSpec = {
  name: "upgrade",
  summary: "Upgrade the mesh in a cluster",
  description:
    "Like install. It says from which version to which one a revision goes, and warns of\n" +
    "upgrades in place that skip minor versions. Another revision beside the present one (--revision)\n" +
    "can be tried first, namespace by namespace.",
  examples: ["meshctl upgrade -f mesh.yaml", "meshctl upgrade --dry-run"],
  flags: INSTALL_FLAGS,
  run: runInstall,
};

export const uninstall: CommandSpec = {
  name: "uninstall",
  summary: "Remove the mesh from a cluster",
  description:
    "Removes a revision, the objects of a file, or everything that the mesh made in the\n" +
    "cluster (--purge), with the definitions and all resources of their kinds. What still depends on\n" +
    "it is named first: namespaces, injected pods, connected proxies, gateways.",
  examples: [
    "meshctl uninstall --revision canary --dry-run",
    "meshctl uninstall --purge",
  ],
  run: async (call) => {
    const { room, parts } = await installation(call);
    return await room.runUninstall(call, parts);
  },
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
};

/** Beside the commands that only print. */
export const manifestInstall: CommandSpec = {
  name: "install",
  aliases: ["apply"],
  summary: "Install or reconfigure the mesh in a cluster",
  examples: ["meshctl manifest install -f mesh.yaml"],
  flags: INSTALL_FLAGS,
  run: runInstall,
};
