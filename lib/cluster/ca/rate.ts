/**
 * A limit of requests for each identity: a token bucket each, in bounded memory.
 *
 * @module
 */

/** The limit. */
export interface RateOptions {
  /** Requests a second; 0: no limit. */
  readonly perSecond: number;
  /** Requests that may come at once. */
  readonly burst: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Identities that are remembered. Default: 20,000. */
  readonly capacity?: number;
}

/** Takes one request of an identity; false when it is beyond the limit. */
export type RateLimiter = (identity: string) => boolean;

/** Makes a limiter. The identity that was seen longest ago is forgotten first. */
export function rateLimiter(options: RateOptions): RateLimiter {
  const { perSecond, burst, now, capacity = 20_000 } = options;
  if (perSecond === 0) return () => true;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (identity) => {
    const at = now();
    const before = buckets.get(identity);
    const tokens = before
      ? Math.min(burst, before.tokens + (at - before.at) / 1000 * perSecond)
      : burst;
    const isAllowed = tokens >= 1;
    buckets.delete(identity);
    buckets.set(identity, { tokens: isAllowed ? tokens - 1 : tokens, at });
    if (buckets.size > capacity) buckets.delete(buckets.keys().next().value!);
    return isAllowed;
  };
}
