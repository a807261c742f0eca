import { buildInfo, MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import { analyzeFileSet, messageJson, messageOfProblem } from "../analyze/mod.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { type ArchivedFile, archiveOf } from "./archive.ts";
import { collect, selectedPods } from "./collect.ts";
import { type ReportOptions, reportOptions } from "./options.ts";
import { type ClusterAccess, openCluster, podId } from "../cluster_access/mod.ts";
import { readLiveObjects } from "../mesh_input/mod.ts";

const ARCHIVE = "bug-report.tar.gz";
const DOMAIN = "cluster.local";

/** Writes an archive with the state of a cluster, its daemons and its proxies. */
export async function bugReport(call: Invocation): Promise<number> {
  const { io, signal } = call;
  const now = Date.now();
  const options = await reportOptions(call, now);
  using opened = await openCluster(call);
  const cluster: ClusterAccess = { ...opened, meshNamespace: options.meshNamespace };
  if (options.dryRun) {
    const pods = await selectedPods(cluster, options);
    io.out(`Pods of the report: ${pods.map(podId).map(printable).join(", ") || "none"}\n`);
    io.out("Nothing is written (--dry-run).\n");
    return 0;
  }
  await Deno.mkdir(options.outputDir, { recursive: true });
  const { files, faults } = await collect(call, cluster, options);
  const analysis = await analysisFile(cluster).catch((error): ArchivedFile => ({
    path: "analyze/fault.txt",
    text: `${messageOf(error)}\n`,
  }));
  signal.throwIfAborted();
  const path = `${options.outputDir.replace(/\/+$/, "")}/${ARCHIVE}`;
  await writeArchive(path, options, [
    { path: "versions", text: `${JSON.stringify({ client: buildInfo }, null, 2)}\n` },
    { path: "faults.txt", text: faults.map((one) => `${one}\n`).join("") },
    analysis,
    ...files,
  ], now);
  if (faults.length > 0) {
    io.err(`Warning: ${faults.length} parts could not be collected; faults.txt lists them\n`);
  }
  io.out(`Created ${printable(path)} with ${files.length} files.\nDone.\n`);
  return 0;
}

async function analysisFile(cluster: ClusterAccess): Promise<ArchivedFile> {
  const warnings: string[] = [];
  const { objects, seen, problems, mesh } = await readLiveObjects(cluster, {
    revision: "",
    remotes: [],
    warn: (message) => void warnings.push(message),
  });
  const messages = analyzeFileSet({
    ...{ objects, seen, mesh: mesh ?? defaultMeshConfig(), domain: DOMAIN },
    meshNamespace: cluster.meshNamespace,
    assumeGateway: false,
    now: () => performance.now(),
  });
  const all = [...problems.map((one) => messageOfProblem(one, true)), ...messages];
  const text = JSON.stringify({ warnings, messages: all.map(messageJson) }, null, 2);
  return { path: "analyze/messages.json", text: `${text}\n` };
}

/** Writes the archive beside its place and renames it, so that no half archive has its name. */
async function writeArchive(
  path: string,
  { tempDir, outputDir }: ReportOptions,
  files: readonly ArchivedFile[],
  now: number,
): Promise<void> {
  const dir = tempDir === "" ? outputDir : tempDir;
  let temporary: string | undefined;
  try {
    temporary = await Deno.makeTempFile({ dir, prefix: ".bug-report-" });
    const file = await Deno.open(temporary, { write: true, truncate: true });
    await archiveOf(files, now).pipeTo(file.writable);
    if (dir !== outputDir) {
      const beside = await Deno.makeTempFile({ dir: outputDir, prefix: ".bug-report-" });
      await Deno.copyFile(temporary, beside);
      await Deno.remove(temporary);
      temporary = beside;
    }
    await Deno.rename(temporary, path);
  } catch (cause) {
    if (temporary !== undefined) await Deno.remove(temporary).catch(() => {});
    throw new MeshError("report-unwritten", `cannot write ${printable(path)}`, {
      remedy: "Check the directory of --output-dir and --dir, and the free space.",
      cause,
    });
  }
}
