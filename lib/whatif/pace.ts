/**
 * Long work in small pieces, so that everybody else is served in between.
 *
 * @module
 */

/** Milliseconds of work before others have their turn. */
const SLICE_MS = 8;

/** Tells long work when to pause. */
export interface Pace {
  /**
   * To be called between pieces; `undefined` when there is no need to pause. The
   * promise rejects with the signal's reason when nobody waits for the work any more.
   */
  pause(): Promise<void> | undefined;
  /** The longest piece so far, in milliseconds. */
  readonly longest: number;
}

/** A pace that begins now. */
export function startPace(signal: AbortSignal): Pace {
  let began = performance.now();
  let longest = 0;
  const rest = async (): Promise<void> => {
    // A task of its own, not a microtask: sockets and timers come before the next piece.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    began = performance.now();
  };
  return {
    pause: () => {
      const spent = performance.now() - began;
      longest = Math.max(longest, spent);
      return spent < SLICE_MS ? undefined : rest();
    },
    get longest() {
      return longest;
    },
  };
}
