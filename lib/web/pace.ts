/** Requests of a listener that are answered without a pause. */
const BURST = 50;
/** Time between two requests after a burst, milliseconds. */
const INTERVAL_MS = 1;

/**
 * Paces the requests of a listener, so that a flood of them leaves time for other work: after a
 * burst of 50, one a millisecond.
 *
 * @param now monotonic milliseconds
 * @returns a function that gives the time, in milliseconds, for which the next request must wait
 */
export function createPace(now: () => number): () => number {
  /** When the next request may be answered if the burst is used up. */
  let next = now();
  return () => {
    const time = now();
    next = Math.max(next, time - BURST * INTERVAL_MS) + INTERVAL_MS;
    return Math.max(0, next - time);
  };
}
