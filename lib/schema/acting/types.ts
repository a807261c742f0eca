/**
 * What says of a kind which of its fields act.
 *
 * @module
 */

/** What of a message acts: its paths, and values of acting paths that do not. */
export interface Acting {
  readonly paths: readonly string[];
  readonly inertValues?: Readonly<Record<string, readonly string[]>>;
}
