/** Requests of a listener that are answered without a pause. */
const BURST = 50;
/** Time between two requests after a burst, milliseconds. */
const INTERVAL_MS = 1;

/**
 * Paces the requests of a listener, so that a flood of them leaves time for other work: after a
 * burst of 50, one a millisecond.
 *
 * @param now monotonic milliseconds
 * @returns a function that gives the time, in milliseconds, for which the next request must wait
 */
export function createPace(now: () => number): () => number {
  /** When the next request may be answered if the burst is used up. */
  let next = now();
  return () => {
    const time = now();
    next = Math.max(next, time - BURST * INTERVAL_MS) + INTERVAL_MS;
    return Math.max(0, next - time);
  };
}

/** New connections of one address that are accepted without a pause. */
export const CONNECTION_BURST = 500;
/** Time between two connections of one address after a burst, milliseconds. */
const CONNECTION_INTERVAL_MS = 5;

/** Bounds the rate of new connections of each address. */
export class ConnectionRates {
  readonly #now: () => number;
  /** For each address, the time of its next connection when its burst is used up. */
  readonly #next = new Map<string, number>();

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a new connection; false when it exceeds the rate of its address. */
  take(address: string): boolean {
    const time = this.#now();
    const next = Math.max(this.#next.get(address) ?? -Infinity, this.#full(time)) +
      CONNECTION_INTERVAL_MS;
    if (next > time) return false;
    this.#next.set(address, next);
    return true;
  }

  /** Forgets addresses that have a whole burst again. */
  sweep(): void {
    const full = this.#full(this.#now());
    for (const [address, next] of this.#next) if (next <= full) this.#next.delete(address);
  }

  #full(time: number): number {
    return time - CONNECTION_BURST * CONNECTION_INTERVAL_MS;
  }
}
