/**
 * Turns of requests: addresses of callers take turns, and other work of the program comes between two
 * requests.
 *
 * @module
 */

/** The line of requests that wait for their turn. */
export interface Turns {
  /** Runs a function in the turn of an address. */
  run<T>(address: string, act: () => Promise<T>): Promise<T>;
  /** Requests that wait. */
  readonly waiting: number;
}

/** Requests whose answers wait for others, such as the API server, at one time. */
const AT_ONCE = 16;
/** Longest pause after a request while others wait, milliseconds. */
const MAX_PAUSE_MS = 50;

/**
 * Makes a line. After a request, other work gets as much time as it took.
 *
 * @param now monotonic milliseconds
 */
export function createTurns(now: () => number): Turns {
  /** Waiting requests by address; the first address is the next. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;
  let isScheduled = false;
  const schedule = (pauseMs: number) => {
    if (isScheduled || waiting.size === 0 || running >= AT_ONCE) return;
    isScheduled = true;
    setTimeout(next, pauseMs);
  };
  const next = () => {
    isScheduled = false;
    const [first] = waiting;
    if (first === undefined) return;
    const [address, requests] = first;
    const start = requests.shift()!;
    waiting.delete(address);
    if (requests.length > 0) waiting.set(address, requests);
    const begin = now();
    start();
    schedule(Math.min(MAX_PAUSE_MS, now() - begin));
  };
  return {
    run<T>(address: string, act: () => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<T>();
      const start = () => {
        running++;
        // Up to its first wait, the request runs here.
        const result = Promise.try(act).finally(() => {
          running--;
          schedule(0);
        });
        resolve(result);
      };
      const requests = waiting.get(address);
      if (requests === undefined) waiting.set(address, [start]);
      else requests.push(start);
      schedule(0);
      return promise;
    },
    get waiting() {
      return [...waiting.values()].reduce((count, requests) => count + requests.length, 0);
    },
  };
}
