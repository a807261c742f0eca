/**
 * Pauses between attempts that fail: they grow to a longest one.
 *
 * @module
 */

/** The growth of pauses. */
export interface Backoff {
  /** Pause after the first failure, ms. */
  readonly first: number;
  /** Longest pause, ms. */
  readonly longest: number;
  /** Each pause is the one before times this number. Default: 1.6, as gRPC libraries have it. */
  readonly growth?: number;
}

/** The pause after a number of failures, counted from 1, in milliseconds. */
export function pauseAfter(failures: number, { first, longest, growth = 1.6 }: Backoff): number {
  return Math.min(longest, first * growth ** (failures - 1));
}

/**
 * Makes half of a pause random, so that clients which failed together do not come back together.
 *
 * @param random from 0 to 1
 */
export function jittered(ms: number, random: number = Math.random()): number {
  return ms / 2 + random * ms / 2;
}

/** A time that differs from a period by a quarter of it at most, so that clients get out of step. */
export function around(ms: number, random: number = Math.random()): number {
  return ms * (0.75 + random / 2);
}
