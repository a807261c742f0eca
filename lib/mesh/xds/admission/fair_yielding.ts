/**
 * A cooperative scheduler for the work of many connections. Work runs for some milliseconds per
 * round of the event loop; the rest waits for the next rounds, in which connections take turns.
 *
 * @module
 */
import { nextRound } from "../../../kit/rpc/mod.ts";
import { fairSet } from "../../../kit/async/mod.ts";

/**
 * Called right before a piece of work of a connection. `undefined`: run it now. A promise: await
 * it, then run the work synchronously in the awaiting function. Later work, or work of a caller, is
 * not counted.
 */
export type FairYielding = (connection: string) => Promise<void> | undefined;

/**
 * Microtasks between waking a waiter and looking at the time again. A waiter resumes in the first
 * one, and its work has then been done.
 */
const MICROTASKS = 2;

interface Waiter {
  readonly connection: string;
  readonly wake: () => void;
}

/** Makes a scheduler. `sliceMs`: time for work in a round of the event loop. */
export function createFairYielding(
  options: { readonly sliceMs: number; readonly now: () => number },
): FairYielding {
  const waiting = fairSet<Waiter>(({ connection }) => connection);
  /** Start of the first work of this round; `undefined`: none yet. */
  let began: number | undefined;
  let scheduled = false;
  const hasTime = (): boolean => {
    began ??= options.now();
    return options.now() - began < options.sliceMs;
  };
  const round = async (): Promise<void> => {
    began = undefined;
    while (waiting.size > 0 && hasTime()) {
      waiting.take()!.wake();
      for (let i = 0; i < MICROTASKS; i++) await undefined;
    }
    scheduled = false;
    if (waiting.size > 0) schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    nextRound(() => void round());
  };
  return (connection) => {
    // The round ends when the next one begins.
    schedule();
    if (waiting.size === 0 && hasTime()) return undefined;
    return new Promise((wake) => waiting.add({ connection, wake }));
  };
}
