/**
 * The answer about an incident. Plain data, ready for JSON.
 *
 * @module
 */
import type { Evidence } from "./types.ts";

export interface Incident {
  readonly evidence: Omit<Evidence, "headers">;
  /** The first proxy of the request, `NAME.NAMESPACE`. */
  readonly from: string;
  /** The verdict about the request as the proxies are configured now. */
  readonly now: string;
  readonly outcome: "allowed" | "denied" | "unknown";
  /** The verdict at the time of the log line, if it was another one. */
  readonly then?: string;
  /** False: the log says another outcome than the configuration. */
  readonly agrees: boolean;
  readonly objects: readonly DecidingObject[];
  /** The latest publication with which the request got this outcome; unset: not known. */
  readonly edit?: Edit;
  /** Actions that undo the outcome. */
  readonly undo: readonly string[];
  readonly unknown: readonly string[];
  /** Addresses of endpoints whose proxies, if they have any, are connected to other daemons. */
  readonly elsewhere: readonly string[];
}

/** An object without which the outcome would differ. */
export interface DecidingObject {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `file:line`, or the source. */
  readonly position?: string;
  /** The verdict about the request in a mesh without the object. */
  readonly without?: string;
}

export interface Edit {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Edited rows, `Kind namespace/name`. */
  readonly edits: readonly string[];
  /** The verdict before; unset: the history does not have it. */
  readonly before?: string;
  readonly accepted: readonly Acceptance[];
}

/** The proxies that follow what an edit of one object changed. */
export interface Acceptance {
  readonly object: string;
  readonly generation?: number;
  readonly concerned: number;
  readonly acknowledged: number;
  /** Others, `NAME.NAMESPACE-NUMBER: outcome`. */
  readonly others: readonly string[];
}
