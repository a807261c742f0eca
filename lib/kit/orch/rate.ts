/**
 * The rate limit of requests: a token bucket.
 *
 * @module
 */

/** Settings of `--orchApiQPS` and `--orchApiBurst`. */
export interface RateOptions {
  /** Requests a second; 0 or less: no limit. */
  readonly qps: number;
  /** Requests that may go out at once after a quiet time. */
  readonly burst: number;
}

/** Clock and timer of a limit. */
export interface RateClock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Resolves after a time, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A limit of requests. */
export interface RateLimit {
  /** Resolves when the next request may go out, in the order of calls. */
  take(signal?: AbortSignal): Promise<void>;
}

/** Creates a limit with a full bucket. */
export function createRateLimit({ qps, burst }: RateOptions, clock: RateClock = CLOCK): RateLimit {
  if (qps <= 0) return { take: () => Promise.resolve() };
  const capacity = Math.max(1, burst);
  let tokens = capacity;
  let at = clock.now();
  return {
    async take(signal) {
      const now = clock.now();
      tokens = Math.min(capacity, tokens + (now - at) / 1000 * qps);
      at = now;
      // The bucket goes below zero: each waiting request has its own moment.
      tokens -= 1;
      if (tokens >= 0) return;
      await clock.sleep(-tokens / qps * 1000, signal);
    },
  };
}

/** Resolves after a time; rejects with the reason of the signal when it is aborted before. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

const CLOCK: RateClock = { now: () => performance.now(), sleep };
