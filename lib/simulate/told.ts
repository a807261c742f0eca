/**
 * Verdicts that may be missing: what a matcher says that is not modelled stays
 * open, and so does what depends on it.
 *
 * @module
 */

/** Whether something holds; `undefined`: it cannot be told. */
export type Told = boolean | undefined;

/** Whether all hold; one that does not decides, whatever the others are. */
export function every<T>(items: Iterable<T>, holds: (item: T) => Told): Told {
  let verdict: Told = true;
  for (const item of items) {
    const one = holds(item);
    if (one === false) return false;
    if (one === undefined) verdict = undefined;
  }
  return verdict;
}

/** Whether one holds; one that does decides, whatever the others are. */
export function some<T>(items: Iterable<T>, holds: (item: T) => Told): Told {
  return negated(every(items, (item) => negated(holds(item))));
}

/** The opposite. */
export function negated(told: Told): Told {
  return told === undefined ? undefined : !told;
}
