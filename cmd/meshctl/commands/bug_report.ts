import type { CommandSpec, FlagSpec } from "../../../lib/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { notYet } from "./not_yet.ts";

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
  flag("rq-concurrency", "int", "Requests at a time, 0 for 32"),
  flag("start-time", "string", "Time of the oldest log lines, RFC 3339"),
  flag("timeout", "duration", "Longest time of reading logs", { default: "30m0s" }),
];

/** `bug-report`. */
export const bugReport: CommandSpec = {
  ...notYet({
    name: "bug-report",
    summary: "Collect information about the mesh in an archive",
    flags: FLAGS,
  }),
  commands: [notYet({
    name: "version",
    summary: "Print build version information",
    flags: [
      ...FLAGS,
      outputFlag(["yaml", "json"]),
      flag("short", "bool", "Use --short=false for full version information", {
        short: "s",
        default: "true",
      }),
    ],
  })],
};
