/**
 * Waiting for a time.
 *
 * @module
 */

/** Longest time that a timer of the runtime holds, ms; with a longer one it would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Waits for some milliseconds; `Infinity` waits for the signal alone.
 *
 * An abort ends the wait and is no error: the promise never rejects, so a loop that is ended by its
 * signal needs no handler. A caller that has to fail calls `signal.throwIfAborted()` afterwards.
 *
 * @returns true when the time is over; false when the signal was aborted before
 *
 * @example
 * ```ts
 * async function repeat(attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
 *   while (!signal.aborted) {
 *     await attempt();
 *     await sleep(1000, signal);
 *   }
 * }
 * ```
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      resolve(isOver);
    };
    const aborted = (): void => end(false);
    const wait = (left: number): void => {
      const part = Math.min(left, TIMER_MAX_MS);
      timer = setTimeout(() => left > part ? wait(left - part) : end(true), part);
    };
    wait(ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

/**
 * Waits for work, but only for some milliseconds. The work itself goes on.
 *
 * @returns true when it ended; false when the time was over before
 * @throws the error of the work, if it fails in time
 */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(ms, stop.signal).then(() => false),
    ]);
  } finally {
    stop.abort();
  }
}
