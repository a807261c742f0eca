import { type Level, passes } from "./level.ts";

/** What the scopes look up while they log; set as a whole by `configureLogging`. */
export interface Settings {
  /** Scopes whose messages carry `file:line` of the call; `all` for every one. */
  readonly caller: ReadonlySet<string>;
  /** Level by scope from which on a stack trace is added. */
  readonly stacktrace: (scope: string) => Level;
  readonly klogVerbosity: number;
}

let current: Settings = { caller: new Set(), stacktrace: () => "none", klogVerbosity: 0 };

/** The settings in force. */
export function settings(): Settings {
  return current;
}

/** Puts settings in force. */
export function applySettings(next: Settings): void {
  current = next;
}

/** Where a message came from, as far as its scope asks for it. */
export function captureStack(
  scope: string,
  level: Level,
): { caller: string | undefined; stack: string | undefined } {
  const wantsCaller = current.caller.has(scope) || current.caller.has("all");
  const wantsStack = passes(level, current.stacktrace(scope));
  if (!wantsCaller && !wantsStack) return { caller: undefined, stack: undefined };
  const frames = outsideFrames(new Error().stack ?? "");
  return {
    caller: wantsCaller ? frames[0]?.replace(/^.*?([^/\\(]+:\d+):\d+\)?$/, "$1") : undefined,
    stack: wantsStack ? frames.join("\n") : undefined,
  };
}

/** Frames below the logging room: those of its own files (not of its tests) say nothing. */
function outsideFrames(stack: string): string[] {
  const own = new URL(".", import.meta.url).href;
  const frames = stack.split("\n").slice(1).map((line) => line.trim().replace(/^at /, ""));
  return frames.filter((frame) => !frame.includes(own) || frame.includes("_test.ts"));
}
