/**
 * The time until a quarantined version is sent again. The cause of a rejection may go away without an
 * edit, for example when a file that the proxy lacked is there.
 *
 * @module
 */
import { type Backoff, pauseAfter } from "../../../kit/async/mod.ts";

/** Each retry doubles the wait. */
const WAITS: Backoff = { first: 60_000, longest: 30 * 60_000, growth: 2 };

/** Minimum time between two rounds of retries, milliseconds. */
export const PAUSE_MS = 1000;

/**
 * Returns the time of the next retry after a number of retries. `now`: milliseconds since the
 * epoch.
 */
export function retryAt(now: number, retries: number): number {
  return now + pauseAfter(retries + 1, WAITS);
}
