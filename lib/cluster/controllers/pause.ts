/**
 * Waiting that ends early.
 *
 * @module
 */

/** Resolves after a time, or when `signal` is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}

/**
 * Longest time that the end of a controller waits for the server, in milliseconds. A server that hangs
 * must not hold up the end of the daemon.
 */
export const STOP_MS = 3_000;

/** Waits for work at most for a time; false if it has not ended by then. Rejects if the work does. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      pause(ms, stop.signal).then(() => false),
    ]);
  } finally {
    stop.abort();
  }
}
