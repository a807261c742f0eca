import { getLogger, type Logger as LibraryLogger } from "@logtape/logtape";
import { type Level, libraryLevel, passes } from "./level.ts";
import { captureStack, klogVerbosity, settingsOf } from "./settings.ts";

/** First part of the library's categories, to separate other users of the library. */
export const ROOT = "mesh";

/** Writes messages of one scope. Fields are appended as `key=value`, or as JSON members. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Like `error`, for an error that ends the program. The call does not end it. */
  fatal(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Checked before expensive fields are computed. */
  enabled(level: Level): boolean;
}

const loggers = new Map<string, Logger>();

/** The logger of a scope; opens a new scope. */
export function scope(name: string): Logger {
  let logger = loggers.get(name);
  if (logger === undefined) {
    logger = makeLogger(name, () => true);
    loggers.set(name, logger);
  }
  return logger;
}

/** Names of the open scopes. */
export function openScopes(): string[] {
  return [...loggers.keys()];
}

/**
 * The log of the orchestrator client: messages of the scope `klog` with a verbosity. They are
 * written if `verbosity` is at most `--vklog` (default 0), whatever their level.
 */
export function klog(verbosity: number): Logger {
  return makeLogger("klog", () => verbosity <= klogVerbosity());
}

/**
 * A logger that writes a message once for each `key`, for messages that would repeat with each
 * request. It stores the `limit` most recent keys.
 */
export function onceLogger(logger: Logger, limit = 1000): (key: string) => Logger | undefined {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return undefined;
    seen.add(key);
    const [oldest] = seen;
    if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
    return logger;
  };
}

function makeLogger(name: string, allowed: () => boolean): Logger {
  const library = getLogger([ROOT, name]);
  const at = (level: Level) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (allowed()) emit(library, name, { level, message, fields });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    enabled: (level) => allowed() && isEnabled(name, level),
  };
}

/**
 * Levels are checked here, because those of the library change only with its whole configuration.
 */
function isEnabled(name: string, level: Level): boolean {
  return passes(level, settingsOf(name).outputLevel);
}

/** A line to write. */
interface Line {
  readonly level: Level;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Whole records are passed, because the library expands `{…}` in messages otherwise. */
function emit(
  library: LibraryLogger,
  name: string,
  { level, message, fields = {} }: Line,
): void {
  const known = libraryLevel(level);
  if (known === null || !isEnabled(name, level)) return;
  const { caller, stack } = captureStack(name, level);
  library.emit({
    timestamp: Date.now(),
    level: known,
    message: [message],
    rawMessage: message,
    properties: { fields, caller, stack },
  });
}
