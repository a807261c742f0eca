/**
 * Text for terminals and files.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";

/** The text with its lines, in which control characters are escaped. */
export function neutral(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
