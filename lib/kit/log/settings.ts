import { type Level, passes } from "./level.ts";

export interface ScopeSettings {
  /** Messages of this level and above are written. */
  readonly outputLevel: Level;
  /** Messages of this level and above have a stack trace. */
  readonly stackTraceLevel: Level;
  /** Messages have `file:line` of the call. */
  readonly logCallers: boolean;
}

/** Settings of all scopes; `configureLogging` replaces them as a whole. */
export interface Settings {
  /** Settings of scopes without settings of their own. */
  readonly fallback: ScopeSettings;
  readonly byScope: ReadonlyMap<string, ScopeSettings>;
  readonly klogVerbosity: number;
}

/** Settings before logging is configured and after it ended: nothing is written. */
export const SILENT: Settings = {
  fallback: { outputLevel: "none", stackTraceLevel: "none", logCallers: false },
  byScope: new Map(),
  klogVerbosity: 0,
};

let current: Settings = SILENT;

/** Current settings by scope, initially those of the flags. */
let byScope = new Map<string, ScopeSettings>();

export function settingsOf(scope: string): ScopeSettings {
  return byScope.get(scope) ?? current.fallback;
}

/** Verbosity of the orchestrator client's messages. */
export function klogVerbosity(): number {
  return current.klogVerbosity;
}

export function applySettings(next: Settings): void {
  current = next;
  byScope = new Map(next.byScope);
}

/** Changes the settings of one scope, from its next message on. */
export function changeSettings(scope: string, change: Partial<ScopeSettings>): void {
  byScope.set(scope, { ...settingsOf(scope), ...change });
}

/** Caller and stack trace of a message, if its scope requires them. */
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

/** Stack frames without those of the logging room's own files. */
function outsideFrames(stack: string): string[] {
  const own = new URL(".", import.meta.url).href;
  const frames = stack.split("\n").slice(1).map((line) => line.trim().replace(/^at /, ""));
  return frames.filter((frame) => !frame.includes(own) || frame.includes("_test.ts"));
}
