/**
 * Waiting for a time, or until a signal.
 *
 * @module
 */

/** Longest time a timer can hold, ms. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Resolves after some milliseconds, or when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, TIMER_MAX_MS));
    signal.addEventListener("abort", done, { once: true });
  });
}
