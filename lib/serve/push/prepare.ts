/**
 * Making what a new class of proxies sees before it is looked at, a little at a time: the first
 * look would do it in one piece, which in a large mesh takes longer than others should wait.
 *
 * @module
 */
import { scope } from "../../log/mod.ts";
import type { BindingSource } from "../../model/mod.ts";

const log = scope("ads");

/** One piece of work, milliseconds. Others have theirs between two of them. */
const SLICE_MS = 3;

/**
 * A function that resolves when nothing is left to make; all who wait share one run. It never
 * rejects: working ahead only spares the first look its work, and what fails is met there again,
 * where it ends one stream and no other.
 */
export function preparation(
  source: Pick<BindingSource, "prepare">,
): () => Promise<void> | undefined {
  const isDone = (): boolean => {
    try {
      return source.prepare?.(SLICE_MS) ?? true;
    } catch (error) {
      log.error("working ahead failed", { error });
      return true;
    }
  };
  let running: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    do await new Promise((resolve) => setImmediate(resolve)); while (!isDone());
    running = undefined;
  };
  return () => {
    if (running === undefined && !isDone()) running = finish();
    return running;
  };
}
