/**
 * How many new streams a second: those beyond the rate wait in line, and a line that is too long
 * turns newcomers away.
 *
 * @module
 */

/** A token bucket with a line. */
export interface Limiter {
  /** Resolves with true when it is the caller's turn, with false when the line is too long. */
  turn(): Promise<boolean>;
}

/**
 * A limiter of `rate` a second. As many may come at once after a quiet second; the line holds what
 * `maxWaitMs` can serve.
 */
export function limiter(
  options: { readonly rate: number; readonly maxWaitMs: number; readonly now: () => number },
): Limiter {
  const gap = 1000 / options.rate;
  /** When the next caller may go, if callers came evenly. */
  let next = options.now() - 1000;
  return {
    async turn() {
      const now = options.now();
      next = Math.max(next, now - 1000);
      const wait = next - now;
      if (wait > options.maxWaitMs) return false;
      next += gap;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      return true;
    },
  };
}
