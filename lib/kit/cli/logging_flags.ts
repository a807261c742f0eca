import type { FlagValues } from "./flags.ts";
import type { FlagSpec } from "./spec.ts";

/** `--vklog`, which every command has. */
export const VKLOG_FLAG: FlagSpec = {
  name: "vklog",
  type: "level",
  description: "Verbosity of the orchestrator client's log (scope klog); higher numbers tell more",
};

/** The five `--log_*` flags. */
export const LOG_FLAGS: readonly FlagSpec[] = [
  {
    name: "log_as_json",
    type: "bool",
    description: "Write the log as JSON lines instead of the console form",
  },
  {
    name: "log_caller",
    type: "string",
    description: "Comma-separated scopes whose messages carry the place of the call; all is one",
  },
  {
    name: "log_output_level",
    type: "string",
    description: "Comma-separated <scope>:<level> pairs: the least level each scope writes; " +
      "levels are debug, info, warn, error, fatal, none",
  },
  {
    name: "log_stacktrace_level",
    type: "string",
    default: "default:none",
    description: "Comma-separated <scope>:<level> pairs: the level from which on a message " +
      "carries a stack trace",
  },
  {
    name: "log_target",
    type: "stringArray",
    default: "stdout",
    complete: "file",
    description: "Where the log goes: a path, or stdout or stderr; may be repeated",
  },
];

/** The logging flags of a call, as input of the log configuration. */
export interface LoggingFlagValues {
  readonly asJson: boolean;
  readonly outputLevel: string;
  readonly caller: string;
  readonly stacktraceLevel: string;
  readonly targets: readonly string[];
  readonly klogVerbosity: number;
}

/** Collects the logging flags; the command must have the five `--log_*` ones. */
export function loggingFlagValues(flags: FlagValues): LoggingFlagValues {
  return {
    asJson: flags.bool("log_as_json"),
    outputLevel: flags.string("log_output_level"),
    caller: flags.string("log_caller"),
    stacktraceLevel: flags.string("log_stacktrace_level"),
    targets: flags.list("log_target"),
    klogVerbosity: flags.has("vklog") ? flags.number("vklog") : 0,
  };
}
