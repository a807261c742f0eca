/**
 * Yielding of long work in small pieces.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";

/** Milliseconds of work before other tasks run. */
const SLICE_MS = 8;

/** Decides when long work pauses. */
export interface Pace {
  /**
   * Called between pieces; `undefined` if no pause is needed. The promise rejects with the signal's
   * reason when the caller has aborted.
   */
  pause(): Promise<void> | undefined;
  /** The longest piece so far, in milliseconds. */
  readonly longest: number;
}

export function startPace(signal: AbortSignal): Pace {
  let began = performance.now();
  let longest = 0;
  const rest = async (): Promise<void> => {
    // A task, not a microtask, so that sockets and timers run before the next piece.
    await sleep(0);
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
