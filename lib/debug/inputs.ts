/**
 * What the debug views are made from. They only read.
 *
 * @module
 */
import type { Mesh } from "../derive/mod.ts";
import type { AuditSummary, History } from "../history/mod.ts";
import type { Receipts } from "../receipts/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { Quarantined, SessionInfo } from "../serve/mod.ts";
import type { WhatIf } from "../whatif/mod.ts";
import type { Publication } from "./pushes.ts";
import type { Spending } from "./spending.ts";

/** The daemon, as far as it is shown. */
export interface DebugInputs {
  /** Proxies connected now. */
  readonly sessions: () => readonly SessionInfo[];
  readonly mesh: Mesh;
  /** The objects that serve. */
  readonly objects: () => readonly ConfigObject[];
  /** Problems of rejected documents. */
  readonly problems: () => readonly SchemaProblem[];
  readonly warnings: () => readonly SchemaProblem[];
  /** Who was sent which edit, and what became of it. */
  readonly receipts: Pick<Receipts, "of" | "latest">;
  /** Answers what edits would change. */
  readonly whatIf: WhatIf;
  /** Ends the streams of a proxy and returns how many; absent when nobody may. */
  readonly disconnect?: (proxy: string) => number;
  /** The latest publications, the newest first. */
  readonly pushes: () => readonly Publication[];
  /** What was sent on whose account. */
  readonly spending: Spending;
  /** What is held back because proxies rejected it. */
  readonly quarantined: () => readonly Quarantined[];
  readonly history: History;
  /** How the audit stands. */
  readonly audit: () => AuditSummary;
  /** Pushes to every proxy all it asked for; returns how many there are. */
  readonly pushAll: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly clusterId: string;
  /** Version of this build. */
  readonly version: string;
}
