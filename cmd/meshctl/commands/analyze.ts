import type { Level } from "../../../lib/analyze/mod.ts";
import { MeshError } from "../../../lib/base/mod.ts";
import { type CommandSpec, type Invocation, usageError } from "../../../lib/cli/mod.ts";
import { warnOrchestratorFlags } from "../orchestrator_flags.ts";
import { flag, outputFlag } from "./flags.ts";

const SEVERITIES = ["Info", "Warning", "Error"];

/** `analyze`. */
export const analyze: CommandSpec = {
  name: "analyze",
  summary: "Find mistakes in configuration",
  description:
    "Analyzes files as one set, with objects of the orchestrator: references to what does\n" +
    "not exist, selectors without workloads, conflicts, fields without effect. The status is 79\n" +
    "for a message at or above --failure-threshold, and 65 for documents that cannot be read.\n" +
    "--namespace is that of objects that name none, and only messages about its objects are shown;\n" +
    "--all-namespaces shows all.",
  examples: [
    "meshctl analyze --use-kube=false config/",
    "meshctl analyze --use-kube=false -R config/ -o sarif > analysis.sarif",
    'meshctl analyze --use-kube=false -S "MSH0103=Pod mypod.testing" config/',
  ],
  args: [{
    name: "file",
    description: "Files and directories",
    optional: true,
    variadic: true,
    complete: "file",
  }],
  flags: [
    flag("all-namespaces", "bool", "All namespaces", { short: "A" }),
    flag("color", "bool", "Colours on terminals", { default: "true" }),
    flag("failure-threshold", "string", "Severity that ends with a status other than 0", {
      typeName: "Level",
      default: "Error",
      choices: SEVERITIES,
    }),
    flag("ignore-unknown", "bool", "Say nothing about files that cannot be read"),
    flag("list-analyzers", "bool", "List the analyzers", { short: "L" }),
    flag("meshConfigFile", "string", "Mesh configuration", { complete: "file" }),
    outputFlag(["log", "json", "yaml", "sarif"], "log"),
    flag("output-threshold", "string", "Lowest severity that is shown", {
      typeName: "Level",
      default: "Info",
      choices: SEVERITIES,
    }),
    flag("recursive", "bool", "Read directories with all below them", { short: "R" }),
    flag("remote-contexts", "stringArray", "Contexts of remote clusters"),
    flag("revision", "string", "Control plane revision", { default: "default" }),
    flag("suppress", "stringArray", "Leave out <code>=<resource>; * is a wildcard", { short: "S" }),
    flag("timeout", "duration", "Longest wait", { default: "30s" }),
    flag("use-kube", "bool", "Read the cluster, too", {
      short: "k",
      default: "true",
      aliases: ["use-orch"],
    }),
    flag("verbose", "bool", "Print more", { short: "v" }),
  ],
  run: runAnalyze,
};

/** Flags about clusters, which analysis does not read yet. */
const CLUSTER_FLAGS = ["remote-contexts", "revision", "timeout"];

async function runAnalyze({ flags, args, io }: Invocation): Promise<number> {
  const { analyze, listAnalyzers } = await import("../analyze.ts");
  if (flags.bool("list-analyzers")) return listAnalyzers(io);
  warnOrchestratorFlags(flags, io);
  const remedy = "Analyze files: meshctl analyze --use-kube=false FILE…";
  if (flags.given.has("use-kube") && flags.bool("use-kube")) {
    throw new MeshError("unsupported", "analysis of a live cluster is not supported yet", {
      remedy,
    });
  }
  if (args.length === 0) {
    throw usageError("no files are named, and a live cluster cannot be analyzed yet", remedy);
  }
  if (flags.bool("use-kube")) {
    io.err(
      "Note: only the files are analyzed; a live cluster is not read yet (--use-kube=false)\n",
    );
  }
  for (const name of CLUSTER_FLAGS.filter((one) => flags.given.has(one))) {
    io.err(`Warning: --${name} has no effect: a live cluster is not read yet\n`);
  }
  return await analyze({
    files: args,
    recursive: flags.bool("recursive"),
    namespace: flags.string("namespace"),
    allNamespaces: flags.bool("all-namespaces"),
    meshNamespace: flags.string("meshNamespace"),
    meshConfigFile: flags.string("meshConfigFile"),
    suppress: flags.list("suppress"),
    failureThreshold: flags.string("failure-threshold") as Level,
    outputThreshold: flags.string("output-threshold") as Level,
    output: flags.string("output") as "log" | "json" | "yaml" | "sarif",
    ignoreUnknown: flags.bool("ignore-unknown"),
    color: flags.bool("color"),
    verbose: flags.bool("verbose"),
  }, io);
}
