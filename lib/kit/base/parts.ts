/**
 * Long computations in parts, so that their caller can do other work between two parts.
 *
 * @module
 */

/** Runs the parts of a computation. The read context of a computation is one. */
export interface Parts {
  /**
   * Computes a part of the value. It may throw before the part, to end the computation for now; the
   * computation is then run again from its start, and its first parts are taken over, by their order.
   */
  part<T>(compute: () => T): T;
}

/** Runs each part where it stands. */
export const UNDIVIDED: Parts = { part: (compute) => compute() };

/** Weight of one part: some milliseconds of work where an item of weight 1 takes ten microseconds. */
const PART_WEIGHT = 256;

/**
 * Computes a result for some items at a time, in a part of their own where there are more.
 *
 * @param weightOf weight of an item, at least 1: more where it takes longer
 */
export function* inParts<T, R>(
  parts: Parts,
  items: readonly T[],
  compute: (some: readonly T[]) => R,
  weightOf: (item: T) => number = () => 1,
): Generator<R, void> {
  const first = endOf(items, 0, weightOf);
  if (first === items.length) return yield compute(items);
  for (let from = 0, to = first; from < items.length; from = to, to = endOf(items, to, weightOf)) {
    const some = items.slice(from, to);
    yield parts.part(() => compute(some));
  }
}

/** End of the part that begins at an item: at least that item is in it. */
function endOf<T>(items: readonly T[], from: number, weightOf: (item: T) => number): number {
  let to = from;
  for (let weight = 0; to < items.length; to++) {
    weight += weightOf(items[to]!);
    if (weight > PART_WEIGHT && to > from) break;
  }
  return to;
}

/** Maps items to lists of results; {@link inParts}. */
export function flatMapInParts<T, R>(
  parts: Parts,
  items: readonly T[],
  map: (item: T) => readonly R[],
  weightOf?: (item: T) => number,
): R[] {
  return [...inParts(parts, items, (some) => some.flatMap(map), weightOf)].flat();
}
