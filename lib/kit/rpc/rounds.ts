/**
 * Rounds of the event loop, for work that is cut into slices: timers, other work and the network
 * get their turn between the slices.
 *
 * @module
 */

/**
 * Longest time of continuous work before the event loop gets to wait for the network, ms. The
 * runtime asks the system for new connections and readable sockets when it has nothing else to do,
 * and otherwise only every 61 rounds: work that goes on by `setImmediate` in rounds of 3 ms delays
 * each accepted connection by 180 ms.
 */
const BUSY_MS = 10;
/** A pause after which the event loop is taken to have waited for the network by itself, ms. */
const IDLE_MS = 5;

let busySince = 0;
let lastRound = 0;
/** Callbacks of the round that begins after the event loop waited for the network. */
let afterWait: (() => void)[] | undefined;

/** Runs a callback in the next round of the event loop; all callers share the waits for the network. */
export function nextRound(run: () => void): void {
  if (afterWait) return void afterWait.push(run);
  const now = performance.now();
  if (now - lastRound > IDLE_MS) busySince = now;
  lastRound = now;
  if (now - busySince < BUSY_MS) return void setImmediate(run);
  const callbacks = afterWait = [run];
  // A timer lets the event loop come to rest, and so to the network.
  setTimeout(() => {
    afterWait = undefined;
    busySince = lastRound = performance.now();
    for (const callback of callbacks) callback();
  }, 0);
}

/** Waits until the callbacks that wait for the network have run. */
export async function roundsEnded(): Promise<void> {
  while (afterWait) await new Promise<void>(nextRound);
}
