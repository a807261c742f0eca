/**
 * Command lines as tables: a program is a tree of commands with flags in the `pflag` convention
 * (`--x=false`, `-n=foo`, `-nfoo`, `-abc`, repeated lists, `k=v` maps, durations). Help,
 * completion, suggestions, errors with exit statuses, listeners that the user configured.
 *
 * @module
 */
export { INTROSPECTION_FLAGS } from "./introspection_flags.ts";
export {
  type ArgSpec,
  type CommandSpec,
  type Configured,
  type FlagSpec,
  type FlagType,
  type Invocation,
  type Io,
  type ProgramSpec,
  type RunEnvironment,
  type TerminalFacts,
} from "./spec.ts";
export { type CandidateRequest, type CandidateSource, type FlagValues } from "./flags.ts";
export { helpText } from "./help.ts";
export { parseArgv, type Parsed } from "./parse.ts";
export {
  dataError,
  EXIT_DATA,
  EXIT_FAILURE,
  EXIT_FINDINGS,
  EXIT_UNKNOWN,
  EXIT_USAGE,
  unansweredError,
  usageError,
} from "./errors.ts";
export { NO_CONFIGURED, runProgram } from "./run.ts";
export { processIo, shutdownSignal } from "./process.ts";
export { versionCommand } from "./version.ts";
export { completionCommand } from "./completion.ts";
export { suggest } from "./suggest.ts";
export {
  LOG_FLAGS,
  type LoggingFlagValues,
  loggingFlagValues,
  VKLOG_FLAG,
} from "./logging_flags.ts";
export { type AskedListener, openListener } from "./listening.ts";
export { warnIneffective } from "./ineffective.ts";
export { neutralText, tableText } from "./table.ts";
export { type Paint, painter, type Style } from "./style.ts";
export { type Progress, progressOn } from "./progress.ts";
export { readInput } from "./input.ts";
export { confirm } from "./confirm.ts";
