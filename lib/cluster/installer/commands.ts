/**
 * The commands about installations: what they ask and say, and their exit statuses.
 *
 * @module
 */
import { type MeshError, printable } from "../../kit/base/mod.ts";
import { confirm, EXIT_FAILURE, type Invocation, usageError } from "../../kit/cli/mod.ts";
import type { OrchClient, OrchObject } from "../../kit/orch/mod.ts";
import { dependentLines } from "./dependents.ts";
import { install, previewInstallation } from "./install.ts";
import { listError } from "./list_error.ts";
import { type Installation, nameOf } from "./plan.ts";
import { countsText } from "./preview.ts";
import type { Scope } from "./removal.ts";
import { type Report, reportTo } from "./report.ts";
import { type Removal, uninstall } from "./uninstall.ts";
import { verify } from "./verify.ts";

/** The cluster of a command. */
export interface InstallCluster extends Disposable {
  /** Its requests end with the command. */
  readonly client: OrchClient;
  /** Its requests do not. */
  readonly lockClient: OrchClient;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
}

/** An installation with its profile and its warnings. */
export interface Planned {
  readonly installation: Installation;
  readonly profile: string;
  readonly warnings: readonly string[];
}

/** The parts that the program gives to the commands. */
export interface CommandParts {
  readonly open: () => Promise<InstallCluster>;
  /** Makes the plan from the flags. @throws {MeshError} for settings that cannot be installed */
  readonly plan: (cluster: InstallCluster) => Promise<Planned>;
  /** Sentences about the fitness of the cluster. */
  readonly precheck: (cluster: InstallCluster) => Promise<readonly string[]>;
  /** Names of the proxies that are connected to daemons of a revision. */
  readonly connected: (revision: string) => Promise<readonly string[]>;
}

/** `install`, `upgrade` and `manifest install`. */
export async function runInstall(call: Invocation, parts: CommandParts): Promise<number> {
  const { flags, io, signal } = call;
  using cluster = await parts.open();
  using report = reportTo(io);
  const { installation, profile, warnings } = await parts.plan(cluster);
  report.mark("plan");
  for (const one of [...warnings, ...await parts.precheck(cluster)]) report.say(`Warning: ${one}`);
  const force = flags.bool("force");
  const common = { client: cluster.client, installation, force, report };
  if (flags.bool("dry-run")) {
    const lines = await previewInstallation(common);
    io.out(lines.map((line) => `${printable(line)}\n`).join(""));
    return 0;
  }
  const isDone = await install({
    ...common,
    ...{ lockClient: cluster.lockClient, readinessMs: flags.number("readiness-timeout"), signal },
    agree: (found) => {
      const { compared, pruned, installed } = found;
      io.err(printable(changeText(installation, installed)) + "\n");
      io.err(`Objects: ${countsText(compared, pruned)}.\n`);
      const what = `This will install the Mesh ${installation.version} profile "${profile}" into ` +
        "the cluster. Proceed?";
      return flags.bool("skip-confirmation") ? Promise.resolve(true) : confirm(io, what);
    },
  });
  if (!isDone) return cancelled(call);
  io.out("✔ Installation complete\n");
  showTimes(call, report);
  return flags.bool("verify") ? await runVerify(call, cluster, installation) : 0;
}

/** The effect on a revision. */
function changeText({ revision, version }: Installation, installed: string | undefined): string {
  if (installed === undefined) return `Revision ${revision} is new: version ${version}.`;
  if (installed === version) return `Revision ${revision} has version ${version} already.`;
  return `Revision ${revision} goes from version ${installed} to ${version}, in place.`;
}

async function runVerify(
  { io }: Invocation,
  { client }: InstallCluster,
  installation: Installation,
): Promise<number> {
  const results = await verify(client, installation);
  const bad = results.filter(({ faults }) => faults.length > 0);
  for (const { object, faults } of bad) {
    for (const fault of faults) io.err(printable(`✘ ${nameOf(object)}: ${fault}`) + "\n");
  }
  if (bad.length === 0) {
    io.out(`✔ Verified ${results.length} objects: all are there and healthy\n`);
    return 0;
  }
  io.err(`Error: ${bad.length} of ${results.length} objects are not as they were installed\n`);
  return EXIT_FAILURE;
}

/** Removes what exactly one of `--revision`, `--filename` and `--purge` names. */
export async function runUninstall(call: Invocation, parts: CommandParts): Promise<number> {
  const { flags, io, signal } = call;
  requireScope(call);
  using cluster = await parts.open();
  using report = reportTo(io);
  const scope = await scopeOf(call, cluster, parts);
  const isDry = flags.bool("dry-run");
  const count = await uninstall({
    ...{ client: cluster.client, lockClient: cluster.lockClient, scope, report, signal },
    namespace: cluster.meshNamespace,
    connected: parts.connected,
    removed: (object: OrchObject) => {
      if (flags.bool("verbose")) io.out(printable(`Removed ${nameOf(object)}`) + "\n");
    },
    agree: async (removal) => {
      showRemoval(call, removal, scope);
      if (isDry) return false;
      const what = scope.kind === "purge"
        ? "All Mesh resources of all revisions will be removed from the cluster. Proceed?"
        : `${removal.objects.length} objects will be removed from the cluster. Proceed?`;
      return flags.bool("skip-confirmation") || await confirm(io, what);
    },
  });
  if (count === undefined) return isDry ? 0 : cancelled(call);
  io.out(`✔ Uninstall complete: ${count} objects removed\n`);
  if (flags.bool("verbose")) showTimes(call, report);
  return 0;
}

function requireScope({ flags }: Invocation): void {
  const given = [
    flags.string("revision") !== "" && "--revision",
    flags.string("filename") !== "" && "--filename",
    flags.bool("purge") && "--purge",
  ].filter((name) => name !== false);
  if (given.length === 0) {
    throw usageError(
      "--revision, --filename or --purge must say what to remove",
      "For example: meshctl uninstall --revision canary. --purge removes the mesh whole.",
    );
  }
  const ofFile = ["set", "manifests", "force"].filter((name) => flags.given.has(name));
  if (ofFile.length > 0 && flags.string("filename") === "") {
    throw usageError(
      `--${ofFile[0]} belongs to --filename: it has no effect with ${given[0]}`,
      "Name the file of the installation with --filename, or leave the flag out.",
    );
  }
  // A file may be completed by a revision; a purge has no restriction.
  if (flags.bool("purge") && given.length > 1) {
    throw usageError(`--purge removes everything: it cannot be combined with ${given[0]}`);
  }
}

async function scopeOf(
  { flags }: Invocation,
  cluster: InstallCluster,
  parts: CommandParts,
): Promise<Scope> {
  if (flags.bool("purge")) return { kind: "purge" };
  if (flags.string("filename") === "") {
    return { kind: "revision", revision: flags.string("revision") };
  }
  const { installation } = await parts.plan(cluster);
  return { kind: "objects", installation };
}

function showRemoval(
  { io, flags }: Invocation,
  { objects, namespaces, dependents }: Removal,
  scope: Scope,
): void {
  const lines = dependentLines(dependents);
  if (lines.length > 0) {
    const what = scope.kind === "purge" ? "The mesh" : "What is removed";
    io.err(
      `Warning: ${what} is still used:\n${lines.map((one) => `  ${printable(one)}\n`).join("")}`,
    );
  }
  const names = [...objects.map(nameOf), ...namespaces.map((name) => `Namespace ${name}`)];
  if (flags.bool("dry-run")) io.out(names.map((name) => printable(`- ${name}`) + "\n").join(""));
  else io.err(`${names.length} objects will be removed; --dry-run lists them.\n`);
}

function cancelled({ io }: Invocation): number {
  io.err("Cancelled.\n");
  return EXIT_FAILURE;
}

function showTimes({ io, flags }: Invocation, report: Report): void {
  if (!flags.bool("verbose")) return;
  io.err(`Time line:\n${report.timeLine().map((line) => `  ${line}\n`).join("")}`);
}

/** The error of settings with mistakes. */
export function planError(problems: readonly string[]): MeshError {
  return listError(
    "install-settings",
    "the settings of the installation have mistakes",
    problems,
    "Correct them. --force goes on nevertheless.",
  );
}
