/**
 * Long work in steps: a generator ends each step with `yield`, so that its caller can do other work
 * there, and returns the result.
 *
 * @module
 */

/** Does all steps at once. */
export function allSteps<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Number of items of a list in a step. */
export const STEP_ITEMS = 64;

/** Calls a function for each item, with steps between them. */
export function* eachInSteps<T>(
  items: readonly T[],
  act: (item: T, index: number) => void,
): Generator<void, void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % STEP_ITEMS === 0) yield;
    act(item, index);
  }
}
