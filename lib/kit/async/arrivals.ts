/**
 * The rate of new connections from each address. An address may open many connections at once, as
 * proxies behind one gateway do that reconnect together; afterwards it may open some in each second.
 *
 * @module
 */

/** New connections from all addresses. */
export interface Arrivals {
  /** Counts a new connection; false when it exceeds the rate of its address. */
  take(address: string): boolean;
}

/** The rate for one address. */
export interface ArrivalRate {
  /** Connections at once. */
  readonly burst: number;
  /** Connections in each second afterwards. */
  readonly perSecond: number;
}

/** Addresses in memory from which those with a whole burst are forgotten. */
const MANY_ADDRESSES = 1000;

/** Makes arrivals. `now`: monotonic milliseconds. */
export function createArrivals({ burst, perSecond }: ArrivalRate, now: () => number): Arrivals {
  const interval = 1000 / perSecond;
  /** For each address, the time at which its burst is whole again. */
  const whole = new Map<string, number>();
  let forgetAt = MANY_ADDRESSES;
  const forget = (time: number): void => {
    for (const [address, at] of whole) if (at <= time) whole.delete(address);
    // The next time when there are twice as many: forgetting costs a step for each address.
    forgetAt = Math.max(MANY_ADDRESSES, 2 * whole.size);
  };
  return {
    take(address) {
      const time = now();
      const next = Math.max(whole.get(address) ?? 0, time) + interval;
      if (next > time + burst * interval) return false;
      whole.set(address, next);
      if (whole.size > forgetAt) forget(time);
      return true;
    },
  };
}
