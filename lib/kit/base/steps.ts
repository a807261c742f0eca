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
