/**
 * Waiting without time.
 *
 * @module
 */

/** Steps that are enough for chains of promises in tests. */
const STEPS = 50;

/** Lets everything run that waits for nothing but resolved promises. */
export async function settled(): Promise<void> {
  for (let step = 0; step < STEPS; step++) await Promise.resolve();
}
