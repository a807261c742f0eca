import { configureSync, type LoggerConfig, resetSync } from "@logtape/logtape";
import { MeshError } from "../base/mod.ts";
import { type Level, libraryLevel, parseLevels } from "./level.ts";
import { openScopes, ROOT } from "./scope.ts";
import { SCOPES } from "./scopes.ts";
import { applySettings } from "./settings.ts";
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

/**
 * Puts the flags into force for the whole process; a later call replaces an earlier one. Returns
 * the function that ends logging and closes the files.
 *
 * @throws {MeshError} `log-level-invalid`, `log-scope-unknown`, `log-target-invalid`.
 */
export function configureLogging(options: LoggingOptions = {}): () => void {
  const output = levelsByScope("--log_output_level", options.outputLevel ?? "");
  const stacktrace = levelsByScope("--log_stacktrace_level", options.stacktraceLevel ?? "");
  const caller = (options.caller ?? "").split(",").map((name) => name.trim()).filter(Boolean);
  for (const name of caller) checkScope("--log_caller", name);

  const targets = [...new Set(options.targets ?? ["stdout"])];
  const sinks = openTargets(targets, options.asJson ?? false);
  // No logger may use a file that is about to be closed, so the former set goes first.
  resetSync();
  configureSync({ sinks, loggers: loggers(output, Object.keys(sinks)) });
  applySettings({
    caller: new Set(caller),
    stacktrace: (scope) => stacktrace.get(scope) ?? stacktrace.get("all") ?? "none",
    klogVerbosity: options.klogVerbosity ?? 0,
  });
  return resetSync;
}

/** Levels in force by scope; the pseudo scope `all` yields to those that are named. */
function levelsByScope(flag: string, text: string): Map<string, Level> {
  const levels = parseLevels(flag, text);
  for (const name of levels.keys()) checkScope(flag, name);
  return levels;
}

function checkScope(flag: string, name: string): void {
  if (name === "all" || SCOPES.includes(name) || openScopes().includes(name)) return;
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

function loggers(
  output: ReadonlyMap<string, Level>,
  sinks: string[],
): LoggerConfig<string, string>[] {
  const base = libraryLevel(output.get("all") ?? "info");
  const configs: LoggerConfig<string, string>[] = [
    { category: [ROOT], sinks, lowestLevel: base },
    { category: ["logtape", "meta"], sinks: [], lowestLevel: null },
  ];
  for (const [name, level] of output) {
    if (name === "all") continue;
    configs.push({
      category: [ROOT, name],
      sinks,
      parentSinks: "override",
      lowestLevel: libraryLevel(level),
    });
  }
  return configs;
}
