/**
 * What says of a kind which of its fields act.
 *
 * @module
 */

/** What of a message acts: its paths, and values of acting paths that do not. */
export interface Acting {
  readonly paths: readonly string[];
  /** Set when the kind as a whole does nothing yet: what it waits for, after "until". */
  readonly inertUntil?: string;
  readonly inertValues?: Readonly<Record<string, readonly string[]>>;
}
