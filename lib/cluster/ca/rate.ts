/**
 * A limit of requests for each identity: a token bucket each, in bounded memory.
 *
 * @module
 */
import { TokenBucket } from "../../kit/async/mod.ts";

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
  const rate = { perSecond, burst, now };
  const buckets = new Map<string, TokenBucket>();
  return (identity) => {
    const bucket = buckets.get(identity) ?? new TokenBucket(rate);
    buckets.delete(identity);
    buckets.set(identity, bucket);
    if (buckets.size > capacity) buckets.delete(buckets.keys().next().value!);
    return bucket.take();
  };
}
