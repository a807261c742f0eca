/**
 * Messages as lines of a log.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import type { Level } from "./codes.ts";
import { type Message, originOf } from "./message.ts";

export type PaintLevel = (level: Level, text: string) => string;

/**
 * `Level [CODE] (Kind namespace/name file:line) sentence`, in one line.
 *
 * @param verbose adds the field and the remedy, each in a separate line
 */
export function logLine(
  { code, level, message, object, file, line, path, remedy }: Message,
  paint: PaintLevel,
  verbose: boolean,
): string {
  const at = [
    ...(object === undefined ? [] : [originOf(object)]),
    ...(file === "" ? [] : [`${file}:${line}`]),
  ].join(" ");
  const rest = printable(`[${code}]${at === "" ? "" : ` (${at})`} ${message}`);
  const more = verbose
    ? [...(path === "" ? [] : [`    field: ${path}`]), `    remedy: ${remedy}`].map(printable)
    : [];
  return [`${paint(level, level)} ${rest}`, ...more].map((text) => `${text}\n`).join("");
}
