/**
 * The row of a code.
 *
 * @module
 */
import type { MessageLevel } from "../../mesh/model/mod.ts";

/** Severity of a message: something does not work, a probable mistake, a hint. */
export type Level = MessageLevel;

export interface CodeRow {
  readonly name: string;
  readonly level: Level;
  /** The sentence, without a full stop; `{0}` and so on are the arguments in order. */
  readonly text: string;
  /** Why it matters: what happens to traffic. */
  readonly reason: string;
  /** The way to fix it. */
  readonly remedy: string;
}
