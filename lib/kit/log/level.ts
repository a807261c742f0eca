import type { LogLevel } from "@logtape/logtape";
import { MeshError } from "../base/mod.ts";

/** Levels from the most to the least verbose; `none` writes nothing. */
export const LEVELS = ["debug", "info", "warn", "error", "fatal", "none"] as const;

/** A level as users write it. */
export type Level = typeof LEVELS[number];

/** True if a message of `level` is written under a threshold. */
export function passes(level: Level, threshold: Level): boolean {
  return threshold !== "none" && LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** The library's name of a level; null for "write nothing". */
export function libraryLevel(level: Level): LogLevel | null {
  if (level === "none") return null;
  return level === "warn" ? "warning" : level;
}

/**
 * Parses `<scope>:<level>[,…]`; a level without scope is for the scope `default`.
 *
 * @throws {MeshError} `log-level-invalid`, with the flag and the invalid part.
 */
export function parseLevels(flag: string, text: string): Map<string, Level> {
  const levels = new Map<string, Level>();
  for (const part of text.split(",").map((each) => each.trim())) {
    if (part === "") continue;
    const colon = part.lastIndexOf(":");
    const name = colon < 0 ? "default" : part.slice(0, colon).trim();
    const level = LEVELS.find((each) => each === part.slice(colon + 1).trim());
    if (level === undefined || name === "") {
      throw new MeshError("log-level-invalid", `${JSON.stringify(part)} is wrong in ${flag}`, {
        remedy: `Write <scope>:<level>, with a level out of ${LEVELS.join(", ")}.`,
      });
    }
    levels.set(name, level);
  }
  return levels;
}
