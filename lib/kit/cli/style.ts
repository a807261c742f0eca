import type { Io } from "./spec.ts";

/** Colours and weights that output uses. */
export type Style = "bold" | "red" | "yellow" | "green" | "dim";

/** Codes of the select-graphic-rendition sequence, from ECMA-48. */
const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/** Paints texts, or leaves them as they are. */
export type Paint = (style: Style, text: string) => string;

/**
 * The painter of a stream: it paints on terminals, unless `NO_COLOR` or `TERM=dumb` is set.
 *
 * @param wanted the value of a flag `--color`, when the command has one
 */
export function painter(io: Io, stream: "out" | "err" = "out", wanted = true): Paint {
  const colors = stream === "out" ? io.terminal?.outColors : io.terminal?.errColors;
  if (!wanted || colors !== true) return (_, text) => text;
  return (style, text) => `\x1b[${CODES[style]}m${text}\x1b[0m`;
}
