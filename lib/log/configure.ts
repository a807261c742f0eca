import { configureSync, resetSync } from "@logtape/logtape";
import { MeshError } from "../base/mod.ts";
import { type Level, parseLevels } from "./level.ts";
import { knownScopes } from "./known.ts";
import { ROOT } from "./scope.ts";
import { SCOPES } from "./scopes.ts";
import { applySettings, type ScopeSettings, type Settings, SILENT } from "./settings.ts";
import { openTarget } from "./target.ts";

/** The texts of the logging flags. */
export interface LoggingOptions {
  /** `--log_as_json`: JSON lines instead of the console form. */
  readonly asJson?: boolean;
  /** `--log_output_level`: `<scope>:<level>[,…]`; scopes not named write from `info` on. */
  readonly outputLevel?: string;
  /** `--log_caller`: comma-separated scopes whose messages carry `file:line`. */
  readonly caller?: string;
  /** `--log_stacktrace_level`: `<scope>:<level>[,…]`; scopes not named never carry a trace. */
  readonly stacktraceLevel?: string;
  /** `--log_target`: paths, or `stdout` and `stderr`. */
  readonly targets?: readonly string[];
  /** `--vklog`: verbosity up to which the orchestrator client's messages are written. */
  readonly klogVerbosity?: number;
}

/** The targets in force, to open them again. */
let current: { readonly targets: readonly string[]; readonly asJson: boolean } | undefined;

/**
 * Puts the flags into force for the whole process; a later call replaces an earlier one. Returns
 * the function that ends logging and closes the files.
 *
 * @throws {MeshError} `log-level-invalid`, `log-scope-unknown`, `log-target-invalid`.
 */
export function configureLogging(options: LoggingOptions = {}): () => void {
  const settings = readSettings(options);
  const next = { targets: options.targets ?? ["stdout"], asJson: options.asJson ?? false };
  writeTo(next);
  applySettings(settings);
  return () => {
    resetSync();
    applySettings(SILENT);
    current = undefined;
  };
}

/**
 * Opens the files of `--log_target` again, by their names: what a log rotation needs after it has
 * moved them. Levels that were changed meanwhile stay. Does nothing when nothing is configured.
 *
 * @throws {MeshError} `log-target-invalid`; the files that were open before then stay in use.
 */
export function reopenLogging(): void {
  if (current !== undefined) writeTo(current);
}

/** Makes the library write to targets; levels are decided before a message gets there. */
function writeTo(next: { readonly targets: readonly string[]; readonly asJson: boolean }): void {
  const sinks = openTargets([...new Set(next.targets)], next.asJson);
  // No logger may use a file that is about to be closed, so the former set goes first.
  resetSync();
  configureSync({
    sinks,
    loggers: [
      { category: [ROOT], sinks: Object.keys(sinks), lowestLevel: "debug" },
      { category: ["logtape", "meta"], sinks: [], lowestLevel: null },
    ],
  });
  current = next;
}

function readSettings(options: LoggingOptions): Settings {
  const output = levelsByScope("--log_output_level", options.outputLevel ?? "");
  const stacktrace = levelsByScope("--log_stacktrace_level", options.stacktraceLevel ?? "");
  const caller = new Set(
    (options.caller ?? "").split(",").map((name) => name.trim()).filter(Boolean),
  );
  for (const name of caller) checkScope("--log_caller", name);
  const of = (name: string): ScopeSettings => ({
    outputLevel: output.get(name) ?? output.get("all") ?? "info",
    stackTraceLevel: stacktrace.get(name) ?? stacktrace.get("all") ?? "none",
    logCallers: caller.has(name) || caller.has("all"),
  });
  const named = new Set([...output.keys(), ...stacktrace.keys(), ...caller]);
  return {
    fallback: of("all"),
    byScope: new Map([...named].map((name) => [name, of(name)])),
    klogVerbosity: options.klogVerbosity ?? 0,
  };
}

/** Levels in force by scope; the pseudo scope `all` yields to those that are named. */
function levelsByScope(flag: string, text: string): Map<string, Level> {
  const levels = parseLevels(flag, text);
  for (const name of levels.keys()) checkScope(flag, name);
  return levels;
}

function checkScope(flag: string, name: string): void {
  if (name === "all" || knownScopes().includes(name)) return;
  throw new MeshError("log-scope-unknown", `${flag} names an unknown scope ${name}`, {
    remedy: `The scopes are: all, ${SCOPES.join(", ")}.`,
  });
}

function openTargets(targets: readonly string[], asJson: boolean) {
  const sinks: Record<string, ReturnType<typeof openTarget>> = {};
  try {
    for (const target of targets) sinks[target] = openTarget(target, asJson);
  } catch (error) {
    for (const sink of Object.values(sinks)) sink[Symbol.dispose]();
    throw error;
  }
  return sinks;
}
