/**
 * Three-valued logic: the result of a matcher that is not modelled is unknown, and so is what
 * depends on it.
 *
 * @module
 */

/** The result of a condition; `undefined`: unknown. */
export type Ternary = boolean | undefined;

/** Conjunction; one false item makes it false, even if others are unknown. */
export function every<T>(items: Iterable<T>, holds: (item: T) => Ternary): Ternary {
  let verdict: Ternary = true;
  for (const item of items) {
    const one = holds(item);
    if (one === false) return false;
    if (one === undefined) verdict = undefined;
  }
  return verdict;
}

/** Disjunction; one true item makes it true, even if others are unknown. */
export function some<T>(items: Iterable<T>, holds: (item: T) => Ternary): Ternary {
  return negated(every(items, (item) => negated(holds(item))));
}

/** Negation. */
export function negated(value: Ternary): Ternary {
  return value === undefined ? undefined : !value;
}
