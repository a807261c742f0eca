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

/** Items of one part: some milliseconds of work where an item takes ten microseconds. */
const PART_SIZE = 256;

/**
 * Computes a result for some items at a time, in a part of their own where there are more.
 *
 * @param size number of items of a part; fewer where an item takes longer
 */
export function* inParts<T, R>(
  parts: Parts,
  items: readonly T[],
  compute: (some: readonly T[]) => R,
  size: number = PART_SIZE,
): Generator<R, void> {
  if (items.length <= size) return yield compute(items);
  for (let from = 0; from < items.length; from += size) {
    const some = items.slice(from, from + size);
    yield parts.part(() => compute(some));
  }
}

/** Maps items to lists of results; {@link inParts}. */
export function flatMapInParts<T, R>(
  parts: Parts,
  items: readonly T[],
  map: (item: T) => readonly R[],
  size: number = PART_SIZE,
): R[] {
  return [...inParts(parts, items, (some) => some.flatMap(map), size)].flat();
}
