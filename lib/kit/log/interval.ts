/**
 * Rate-limited logging for messages that remote peers can cause: one line for each key in an
 * interval.
 *
 * @module
 */
import type { Logger } from "./scope.ts";

/** The bounds of an {@link intervalLogger}. */
export interface IntervalOptions {
  /** Length of the interval, milliseconds (default: one minute). */
  readonly everyMs?: number;
  /** Keys remembered (default 1000). When there are more, the oldest may be logged again. */
  readonly limit?: number;
  /** Monotonic milliseconds (default `performance.now`). */
  readonly now?: () => number;
}

/**
 * A logger that writes one message for each key, such as the address of a peer, in an interval.
 * It returns `undefined` for the others.
 */
export function intervalLogger(
  logger: Logger,
  { everyMs = 60_000, limit = 1000, now = () => performance.now() }: IntervalOptions = {},
): (key: string) => Logger | undefined {
  /** When each key was logged, the oldest first. */
  const logged = new Map<string, number>();
  return (key) => {
    const time = now();
    const before = logged.get(key);
    if (before !== undefined && time - before < everyMs) return undefined;
    logged.delete(key);
    logged.set(key, time);
    const [oldest] = logged.keys();
    if (logged.size > limit && oldest !== undefined) logged.delete(oldest);
    return logger;
  };
}
