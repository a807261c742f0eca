/**
 * Making what a new class of proxies sees before it is looked at, a little at a time: the first
 * look would do it in one piece, which in a large mesh takes longer than others should wait.
 *
 * @module
 */
import type { SeatSource } from "../model/mod.ts";

/** One piece of work, milliseconds. */
const SLICE_MS = 10;

/** A function that resolves when nothing is left to make; all who wait share one run. */
export function preparation(
  source: Pick<SeatSource, "ahead">,
): () => Promise<void> | undefined {
  let running: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    do await new Promise((resolve) => setTimeout(resolve, 0)); while (!source.ahead!(SLICE_MS));
    running = undefined;
  };
  return () => {
    if (running === undefined && source.ahead?.(SLICE_MS) === false) running = finish();
    return running;
  };
}
