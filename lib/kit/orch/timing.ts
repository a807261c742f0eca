/**
 * Times of following resource types.
 *
 * @module
 */

/** Times of following, in milliseconds. */
export interface FollowTiming {
  /**
   * A watch without any byte for this time is given up. Servers send bookmarks about once a minute,
   * so a silent watch is a broken one.
   */
  readonly idleMs: number;
  /** Longest time for an answer of other requests. */
  readonly requestMs: number;
  /** The server ends a watch after this time; up to twice as long, by chance. */
  readonly watchMs: number;
  /** Pauses after failures: the first and the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Pause between two looks for a resource type that the server does not have. */
  readonly absentMs: number;
  /** Pause between two checks of the objects against the server; a quarter more or less, by chance. */
  readonly checkMs: number;
  /** An object that differs is looked at again after this time: its event may be on the way. */
  readonly settleMs: number;
}

/** The times of a daemon. */
export const DEFAULT_TIMING: FollowTiming = {
  idleMs: 150_000,
  requestMs: 30_000,
  watchMs: 300_000,
  firstPauseMs: 200,
  longestPauseMs: 10_000,
  absentMs: 10_000,
  checkMs: 600_000,
  settleMs: 5_000,
};
