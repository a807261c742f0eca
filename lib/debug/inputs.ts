/**
 * What the debug views are made from. They only read.
 *
 * @module
 */
import type { Mesh } from "../derive/mod.ts";
import type { Receipts } from "../receipts/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { Quarantined, SessionInfo } from "../serve/mod.ts";

/** The daemon, as far as it is shown. */
export interface DebugInputs {
  /** Proxies connected now. */
  readonly sessions: () => readonly SessionInfo[];
  readonly mesh: Mesh;
  /** The objects that serve. */
  readonly objects: () => readonly ConfigObject[];
  /** What was set aside, and why. */
  readonly problems: () => readonly SchemaProblem[];
  readonly warnings: () => readonly SchemaProblem[];
  /** Who was sent which edit, and what became of it. */
  readonly receipts: Pick<Receipts, "of" | "latest">;
  /** Resources that proxies rejected, and that are held back, with the objects they come from. */
  readonly quarantined: () => readonly Quarantined[];
  /** Pushes to every proxy all it asked for; returns how many there are. */
  readonly pushAll: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly clusterId: string;
  /** Version of this build. */
  readonly version: string;
}
