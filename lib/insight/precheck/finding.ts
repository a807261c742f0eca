import type { Level } from "../analyze/mod.ts";

/** A finding of a check. */
export interface Finding {
  /** Empty for findings without a code of the interface. */
  readonly code: string;
  readonly level: Level;
  readonly message: string;
}
