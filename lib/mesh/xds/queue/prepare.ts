/**
 * Computes the resources of a new proxy class in small steps before the first use, which would
 * compute them at once and block other work in a large mesh.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import type { BindingSource } from "../../model/mod.ts";
import { nextRound } from "../../../kit/rpc/mod.ts";

const log = scope("ads");

/** Duration of one step, milliseconds. Other work runs between two steps. */
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
      log.error("computing views ahead of a push failed", { error });
      return true;
    }
  };
  let running: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    do await new Promise<void>((resolve) => nextRound(resolve)); while (!isDone());
    running = undefined;
  };
  return () => {
    if (running === undefined && !isDone()) running = finish();
    return running;
  };
}
