import { type Level, passes } from "./level.ts";

/** What is written of one scope. */
export interface ScopeSettings {
  /** Messages of this level and above are written. */
  readonly outputLevel: Level;
  /** Messages of this level and above carry a stack trace. */
  readonly stackTraceLevel: Level;
  /** Messages carry `file:line` of the call. */
  readonly logCallers: boolean;
}

/** What the scopes look up while they log; set as a whole by `configureLogging`. */
export interface Settings {
  /** Of scopes that have none of their own. */
  readonly fallback: ScopeSettings;
  readonly byScope: ReadonlyMap<string, ScopeSettings>;
  readonly klogVerbosity: number;
}

/** In force until logging is configured, and after it was ended: nothing is written. */
export const SILENT: Settings = {
  fallback: { outputLevel: "none", stackTraceLevel: "none", logCallers: false },
  byScope: new Map(),
  klogVerbosity: 0,
};

let current: Settings = SILENT;

/** Settings by scope while the program runs, starting from those that it was started with. */
let byScope = new Map<string, ScopeSettings>();

/** What is written of a scope. */
export function settingsOf(scope: string): ScopeSettings {
  return byScope.get(scope) ?? current.fallback;
}

/** Verbosity up to which the orchestrator client's messages are written. */
export function klogVerbosity(): number {
  return current.klogVerbosity;
}

/** Puts settings in force. */
export function applySettings(next: Settings): void {
  current = next;
  byScope = new Map(next.byScope);
}

/** Changes what is written of one scope, from its next message on. */
export function changeSettings(scope: string, change: Partial<ScopeSettings>): void {
  byScope.set(scope, { ...settingsOf(scope), ...change });
}

/** Where a message came from, as far as its scope asks for it. */
export function captureStack(
  scope: string,
  level: Level,
): { caller: string | undefined; stack: string | undefined } {
  const { logCallers: wantsCaller, stackTraceLevel } = settingsOf(scope);
  const wantsStack = passes(level, stackTraceLevel);
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
