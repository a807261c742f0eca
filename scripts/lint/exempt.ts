/**
 * Files that do not comply with the rules of `shape.ts` yet. The list only becomes
 * shorter: a test fails for a listed file that complies.
 *
 * @module
 */

/** Rules with exemptions. */
export type ShapeRule = "keys" | "lines" | "parameters" | "state";

/** Rule → files, relative to the project's root. */
export const EXEMPT: Readonly<Record<ShapeRule, readonly string[]>> = {
  keys: [],
  lines: [],
  parameters: [],
  state: [],
};

/** Groups of files that import each other, each sorted and joined by spaces. */
export const EXEMPT_CYCLES: readonly string[] = [];

/** Rooms whose folders import each other, as `lib/WING/ROOM`. */
export const EXEMPT_ROOMS: readonly string[] = [];
