import { type CommandSpec, type FlagSpec, versionCommand } from "../../../lib/kit/cli/mod.ts";
import { flag } from "./flags.ts";

const OWN_VERSION = versionCommand();

const FLAGS: readonly FlagSpec[] = [
  flag("context", "string", "Context of the orchestrator configuration"),
  flag("critical-errs", "stringSlice", "Globs of log lines that make a log most important"),
  flag("dir", "string", "Directory for temporary files", {
    defaultText: "(temp directory)",
    complete: "directory",
  }),
  flag("dry-run", "bool", "Collect and write nothing"),
  flag("duration", "duration", "Age of the oldest log lines, 0s for all"),
  flag("end-time", "string", "Time of the newest log lines, RFC 3339", { defaultText: "(now)" }),
  flag("exclude", "stringSlice", "Pods to leave out"),
  flag("filename", "string", "Settings of the report in YAML", { short: "f", complete: "file" }),
  flag("full-secrets", "bool", "Include contents of secrets"),
  flag("ignore-errs", "stringSlice", "Globs of log lines that do not count as errors"),
  flag("include", "stringSlice", "Pods to include"),
  flag("mesh-namespace", "string", "Namespace of the control plane", { default: "mesh-system" }),
  flag("output-dir", "string", "Directory of the archive", { complete: "directory" }),
  flag("rq-concurrency", "int", "Requests at a time, 0 for 4"),
  flag("start-time", "string", "Time of the oldest log lines, RFC 3339"),
  flag("timeout", "duration", "Longest time of reading logs", { default: "30m0s" }),
];

export const bugReport: CommandSpec = {
  name: "bug-report",
  summary: "Collect information about the mesh in an archive",
  description:
    "Writes bug-report.tar.gz with the objects of the cluster, the logs and debug pages of the\n" +
    "daemons, and the logs and configuration of the proxies. Keys, tokens and the contents of\n" +
    "secrets are left out. Parts that could not be collected are listed in faults.txt.\n" +
    "--include and --exclude are NAMESPACES/DEPLOYMENTS/PODS/LABELS/ANNOTATIONS/CONTAINERS.",
  examples: [
    "meshctl bug-report",
    "meshctl bug-report --include shop --duration 1h --output-dir /tmp/report",
    "meshctl bug-report --dry-run",
  ],
  flags: FLAGS,
  run: async (call) =>
    await (await import("../../../lib/insight/bug_report/mod.ts")).bugReport(call),
  commands: [{
    ...OWN_VERSION,
    examples: ["meshctl bug-report version -o json"],
    flags: [...FLAGS, ...OWN_VERSION.flags ?? []],
  }],
};
