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
  /** `--log_output_level`: `<scope>:<level>[,…]`; other scopes write from `info` on. */
  readonly outputLevel?: string;
  /** `--log_caller`: comma-separated scopes whose messages have `file:line`. */
  readonly caller?: string;
  /** `--log_stacktrace_level`: `<scope>:<level>[,…]`; other scopes have no stack traces. */
  readonly stacktraceLevel?: string;
  /** `--log_target`: paths, or `stdout` and `stderr`. */
  readonly targets?: readonly string[];
  /** `--vklog`: verbosity of the orchestrator client's messages. */
  readonly klogVerbosity?: number;
}

/** The current targets, for reopening. */
let current: { readonly targets: readonly string[]; readonly asJson: boolean } | undefined;

/**
 * Applies the flags to the whole process; a later call replaces an earlier one. Returns a function
 * that ends logging and closes the files.
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
 * Reopens the files of `--log_target` by name, after a log rotation. Changed levels are kept.
 * Without configuration it does nothing.
 *
 * @throws {MeshError} `log-target-invalid`; the open files stay in use.
 */
export function reopenLogging(): void {
  if (current !== undefined) writeTo(current);
}

/** Makes the library write to targets. Levels are checked before a message reaches it. */
function writeTo(next: { readonly targets: readonly string[]; readonly asJson: boolean }): void {
  const sinks = openTargets([...new Set(next.targets)], next.asJson);
  // The former loggers are removed first, because their files are closed.
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

/** Levels by scope. A named scope overrides the pseudo scope `all`. */
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
