/**
 * Room for timers and other streams between requests: after a restart hundreds of clients send at
 * once what takes milliseconds each to read, and all of it would be taken in one go.
 *
 * @module
 */

/** Asked before a piece of work: what to wait for, or `undefined` to go on at once. */
export type Breath = () => Promise<void> | undefined;

/** Lets work go on for some milliseconds in a round of the event loop; timers wait a millisecond more. */
export function breather(
  options: { readonly sliceMs: number; readonly now: () => number },
): Breath {
  /** When the first work was done since timers ran; `undefined` when there was none. */
  let began: number | undefined;
  let round: Promise<void> | undefined;
  return () => {
    if (round) return round;
    if (began === undefined) {
      began = options.now();
      setImmediate(() => began = undefined);
      return undefined;
    }
    if (options.now() - began < options.sliceMs) return undefined;
    round = new Promise((resolve) =>
      setImmediate(() => {
        round = began = undefined;
        resolve();
      })
    );
    return round;
  };
}
