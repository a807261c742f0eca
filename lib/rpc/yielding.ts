/**
 * Room for timers and other streams between requests: after a restart hundreds of clients send at
 * once what takes milliseconds each to read, and all of it would be taken in one go.
 *
 * @module
 */

/**
 * Asked before a piece of work: what to wait for, or `undefined` to go on at once. To be asked again
 * after the wait, and right before the work: whoever does something else between the answer and the
 * work, be it to return from an async function, lets all others have the same answer.
 */
export type Yielding = () => Promise<void> | undefined;

/**
 * How many of those who wait are woken in a round: of thousands, nearly all would find its time
 * taken by others, and waking them would be the work of the round.
 */
const WOKEN = 16;

/** Lets work go on for some milliseconds in a round of the event loop. */
export function createYielding(
  options: { readonly sliceMs: number; readonly now: () => number },
): Yielding {
  /** When the first work of this round was done; `undefined` when there was none. */
  let began: number | undefined;
  let ending = false;
  const waiting: (() => void)[] = [];
  const end = () => {
    began = undefined;
    ending = false;
    for (const wake of waiting.splice(0, WOKEN)) wake();
    if (waiting.length > 0) endSoon();
  };
  const endSoon = () => {
    if (!ending) setImmediate(end);
    ending = true;
  };
  return () => {
    if (began === undefined) {
      began = options.now();
      endSoon();
      return undefined;
    }
    if (options.now() - began < options.sliceMs) return undefined;
    return new Promise((resolve) => void waiting.push(resolve));
  };
}
