/**
 * Measures the delay of timers on an event loop.
 *
 * @module
 */

/** Interval of the timer whose drift is measured, ms. */
const TICK_MS = 5;

/** Drift of a timer, ms. */
export interface Drift {
  readonly median: number;
  /** 99 % of all ticks were not later. */
  readonly high: number;
  readonly longest: number;
}

/** Measures the delay of a timer; the returned function ends it. */
export function startDrift(): () => Drift {
  const drifts: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    drifts.push(Math.max(0, now - last - TICK_MS));
    last = now;
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    drifts.sort((a, b) => a - b);
    const at = (part: number) => drifts[Math.floor(drifts.length * part)] ?? 0;
    return { median: at(0.5), high: at(0.99), longest: drifts.at(-1) ?? 0 };
  };
}
