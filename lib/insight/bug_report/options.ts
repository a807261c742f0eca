/**
 * Options of a report: flags, over which a file may be applied.
 *
 * @module
 */
import { MeshError, parseDuration, printable } from "../../kit/base/mod.ts";
import { type Invocation, readInput, suggest, usageError } from "../../kit/cli/mod.ts";
import { parseYaml } from "../../kit/text/mod.ts";
import { selectionOf } from "./selection.ts";
import type { TimeRange } from "./log_range.ts";

/** Namespaces whose pods are left out. */
const EXCLUDED = ["kube-node-lease", "kube-public", "kube-system", "local-path-storage"];
/** Steps at a time without `--rq-concurrency`: few, because the mesh goes on working. */
const CONCURRENCY = 4;

export interface ReportOptions {
  readonly include: readonly ReturnType<typeof selectionOf>[];
  readonly exclude: readonly ReturnType<typeof selectionOf>[];
  readonly range: TimeRange;
  readonly criticalErrors: readonly string[];
  readonly ignoredErrors: readonly string[];
  readonly fullSecrets: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly meshNamespace: string;
  readonly outputDir: string;
  /** Directory of the unfinished archive; empty: that of the archive. */
  readonly tempDir: string;
  readonly dryRun: boolean;
}

/** Names of flags that the file may have. */
const FILE_KEYS = [
  "critical-errs",
  "duration",
  "end-time",
  "exclude",
  "full-secrets",
  "ignore-errs",
  "include",
  "mesh-namespace",
  "rq-concurrency",
  "start-time",
  "timeout",
] as const;
type FileKey = typeof FILE_KEYS[number];
type FileValues = Partial<Record<FileKey, unknown>>;

/** Reads the options of a call; `now` is the time in milliseconds since the epoch. */
export async function reportOptions(call: Invocation, now: number): Promise<ReportOptions> {
  const { flags } = call;
  const file = await fileValues(call);
  const isGiven = (name: FileKey): boolean => !flags.given.has(name) && file[name] !== undefined;
  const text = (name: FileKey): string => isGiven(name) ? String(file[name]) : flags.string(name);
  const list = (name: FileKey): readonly string[] => {
    const value = file[name];
    return isGiven(name) ? [value].flat().map(String) : flags.list(name);
  };
  const milliseconds = (name: FileKey): number =>
    isGiven(name) ? durationOf(name, String(file[name])) : flags.number(name);
  const exclude = list("exclude");
  const meshNamespace = text("mesh-namespace");
  return {
    include: list("include").map(selectionOf),
    exclude: (exclude.length === 0 ? EXCLUDED : exclude).map(selectionOf),
    range: rangeOf({
      start: text("start-time"),
      end: text("end-time"),
      durationMs: milliseconds("duration"),
      now,
    }),
    criticalErrors: list("critical-errs"),
    ignoredErrors: list("ignore-errs"),
    fullSecrets: isGiven("full-secrets")
      ? file["full-secrets"] === true
      : flags.bool("full-secrets"),
    concurrency:
      (isGiven("rq-concurrency")
        ? Number(file["rq-concurrency"])
        : flags.number("rq-concurrency")) || CONCURRENCY,
    timeoutMs: milliseconds("timeout"),
    meshNamespace: flags.given.has("meshNamespace") ? flags.string("meshNamespace") : meshNamespace,
    outputDir: flags.string("output-dir") || ".",
    tempDir: flags.string("dir"),
    dryRun: flags.bool("dry-run"),
  };
}

async function fileValues({ flags, io }: Invocation): Promise<FileValues> {
  const name = flags.string("filename");
  if (name === "") return {};
  const value = parseYaml(await readInput(name, io)) ?? {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MeshError("data", `${printable(name)} is no map of settings`);
  }
  const keys: readonly string[] = FILE_KEYS;
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    const [near] = suggest(key, keys);
    throw new MeshError("data", printable(`${name}: unknown setting ${key}`), {
      remedy: near === undefined ? `Settings: ${keys.join(", ")}.` : `Did you mean ${near}?`,
    });
  }
  return value;
}

function durationOf(name: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new MeshError("data", printable(`${name}: ${text} is no duration`), {
      remedy: "Write it as 30m or 1h30m.",
      cause,
    });
  }
}

function rangeOf({ start, end, durationMs, now }: TimeRange & {
  readonly durationMs: number;
  readonly now: number;
}): TimeRange {
  if (durationMs > 0 && start !== "") {
    throw usageError("--duration and --start-time exclude each other");
  }
  for (const [name, time] of [["start-time", start], ["end-time", end]]) {
    if (time === "" || !Number.isNaN(Date.parse(time ?? ""))) continue;
    throw usageError(
      printable(`--${name}: ${time} is no time`),
      "Write it as 2026-01-31T12:00:00Z.",
    );
  }
  const from = durationMs > 0
    ? new Date((end === "" ? now : Date.parse(end)) - durationMs).toISOString()
    : start;
  if (from !== "" && end !== "" && Date.parse(from) > Date.parse(end)) {
    throw usageError("--end-time is before --start-time");
  }
  return { start: from, end };
}
