/** Levels of a proxy's loggers, from the most to the fewest lines. */
export const PROXY_LEVELS: readonly string[] = [
  "trace",
  "debug",
  "info",
  "warning",
  "error",
  "critical",
  "off",
];

/** Levels of a daemon's scopes. */
export const DAEMON_LEVELS: readonly string[] = ["none", "error", "warn", "info", "debug"];

export interface LevelChange {
  /** Empty: all loggers. */
  readonly logger: string;
  readonly level: string;
}

/** Parsed changes, or why the text is none. */
export interface LevelChanges {
  readonly changes: readonly LevelChange[];
  readonly fault?: string;
}

/** Parses `[logger:]level[,…]`. */
export function levelChanges(text: string, levels: readonly string[]): LevelChanges {
  const changes: LevelChange[] = [];
  for (const part of text.split(",")) {
    const colon = part.lastIndexOf(":");
    const logger = colon < 0 ? "" : part.slice(0, colon);
    const level = part.slice(colon + 1);
    if (!levels.includes(level)) {
      const fault = `unknown level ${JSON.stringify(level)}: must be ${levels.join(", ")}`;
      return { changes: [], fault };
    }
    if (colon === 0) return { changes: [], fault: `${JSON.stringify(part)} names no logger` };
    changes.push({ logger, level });
  }
  return { changes };
}
