/**
 * Long work between other work.
 *
 * @module
 */
import { sleep } from "./sleep.ts";

/** Milliseconds after which other work has a turn. */
const TURN_MS = 10;

/** Settings of {@linkcode inTurns}; for tests. */
export interface TurnOptions {
  /** Milliseconds since any moment. */
  readonly now?: () => number;
  /** Resolves after timers and sockets had a turn. */
  readonly pause?: () => Promise<unknown>;
}

/** Does work in steps; after a step at which {@link TURN_MS} have passed, other work has a turn. */
export async function inTurns<T>(
  steps: Generator<unknown, T>,
  { now = () => performance.now(), pause = () => sleep(0) }: TurnOptions = {},
): Promise<T> {
  let since = now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (now() - since < TURN_MS) continue;
    await pause();
    since = now();
  }
}
