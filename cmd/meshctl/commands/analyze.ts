import type { CommandSpec } from "../../../lib/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { notYet } from "./not_yet.ts";

const SEVERITIES = ["Info", "Warning", "Error"];

/** `analyze`. */
export const analyze: CommandSpec = notYet({
  name: "analyze",
  summary: "Find mistakes in configuration",
  examples: [
    "meshctl analyze",
    "meshctl analyze --use-kube=false config/",
    'meshctl analyze -S "MSH0103=Pod mypod.testing"',
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
    outputFlag(["log", "json", "yaml"], "log"),
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
}, "`meshctl validate` checks files.");
