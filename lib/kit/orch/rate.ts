/**
 * The rate limit of requests.
 *
 * @module
 */
import { sleep, TokenBucket } from "../async/mod.ts";

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
  /** Resolves after a time, or when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
}

/** A limit of requests. */
export interface RateLimit {
  /**
   * Resolves when the next request may go out, in the order of calls. Rejects with the reason of the
   * signal when the wait for it is aborted.
   */
  take(signal?: AbortSignal): Promise<void>;
}

/** Creates a limit with a full bucket. */
export function createRateLimit({ qps, burst }: RateOptions, clock: RateClock = CLOCK): RateLimit {
  if (qps <= 0) return { take: () => Promise.resolve() };
  const bucket = new TokenBucket({
    perSecond: qps,
    burst: Math.max(1, burst),
    now: () => clock.now(),
  });
  return {
    async take(signal) {
      const wait = bucket.reserve();
      if (wait === 0) return;
      await clock.sleep(wait, signal);
      signal?.throwIfAborted();
    },
  };
}

const CLOCK: RateClock = { now: () => performance.now(), sleep };
