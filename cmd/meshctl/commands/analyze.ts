import type { Level } from "../../../lib/insight/analyze/mod.ts";
import { type CommandSpec, type Invocation, usageError } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";

const SEVERITIES = ["Info", "Warning", "Error"];

export const analyze: CommandSpec = {
  name: "analyze",
  summary: "Find mistakes in configuration",
  description: "Analyzes the live cluster, with the files as if they were applied to it; with\n" +
    "--use-kube=false the files alone. Finds references to what does not exist, selectors without\n" +
    "workloads, conflicts, fields without effect. The status is 79 for a message at or above\n" +
    "--failure-threshold, and 65 for documents that cannot be read. Of a cluster only messages about\n" +
    "objects of the namespace are shown, and with files those of the files' namespaces, unless\n" +
    "--namespace or --all-namespaces is given. Notes say what was not checked.",
  examples: [
    "meshctl analyze -n shop",
    "meshctl analyze -A change.yaml",
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
    flag(
      "ignore-unknown",
      "bool",
      "Leave out documents that cannot be read; only their number is told",
    ),
    flag("list-analyzers", "bool", "List the analyzers", { short: "L" }),
    flag("meshConfigFile", "string", "Mesh configuration", { complete: "file" }),
    outputFlag(["log", "json", "yaml", "sarif"], "log"),
    flag("output-threshold", "string", "Lowest severity that is shown", {
      typeName: "Level",
      default: "Info",
      choices: SEVERITIES,
    }),
    flag("recursive", "bool", "Read directories with all below them", { short: "R" }),
    flag(
      "remote-contexts",
      "stringArray",
      "Contexts of remote clusters; default: the clusters of the remote secrets",
    ),
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

/** Flags about clusters. */
const CLUSTER_FLAGS = ["remote-contexts", "revision", "timeout"];

async function runAnalyze(call: Invocation): Promise<number> {
  const { flags, args, io } = call;
  const { analyze, listAnalyzers } = await import("../../../lib/insight/checks/mod.ts");
  if (flags.bool("list-analyzers")) return listAnalyzers(io);
  const { namesCluster, warnOrchestratorFlags } = await import(
    "../../../lib/insight/cluster_access/mod.ts"
  );
  const isAsked = flags.given.has("use-kube") && flags.bool("use-kube");
  const isLive = flags.bool("use-kube") && (isAsked || await namesCluster(flags));
  const common = {
    files: args,
    recursive: flags.bool("recursive"),
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
  };
  if (isLive) {
    const { readCluster } = await import("../../../lib/insight/mesh_input/mod.ts");
    const isChosen = flags.given.has("namespace");
    return await analyze({ ...common, ...await readCluster(call), isChosen }, io);
  }
  warnOrchestratorFlags(flags, io);
  if (args.length === 0) {
    throw usageError(
      "no files are named, and no orchestrator is configured",
      "Name files, or use --orchconfig FILE to analyze a cluster.",
    );
  }
  if (flags.bool("use-kube")) {
    io.err("Note: only the files are analyzed: no orchestrator is configured (--use-kube=false)\n");
  }
  for (const name of CLUSTER_FLAGS.filter((one) => flags.given.has(one))) {
    io.err(`Warning: --${name} has no effect: no cluster is read\n`);
  }
  return await analyze({ ...common, namespace: flags.string("namespace") }, io);
}
