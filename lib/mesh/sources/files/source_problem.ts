/**
 * Problems of a source.
 *
 * @module
 */
import type { SchemaProblem } from "../../schema/mod.ts";

/** The reason why a document or file is rejected. */
export interface SourceProblem extends SchemaProblem {
  /** True when the last good version stays in use. */
  readonly lastGoodServes: boolean;
  /** When it was first reported, milliseconds since the epoch; unset before that. */
  readonly since?: number;
}
