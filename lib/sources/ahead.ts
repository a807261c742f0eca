/**
 * Work that waits for the disk, begun before its turn.
 *
 * @module
 */

/**
 * The results of `work` for each item, in the items' order, with so many begun
 * ahead of the one that is waited for. The disk's waiting times overlap; memory
 * stays bounded by the width. `work` must not reject before it is waited for.
 */
export async function* ahead<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<readonly [item: T, result: R]> {
  const begun: (readonly [T, Promise<R>])[] = [];
  for (const item of items) {
    begun.push([item, work(item)]);
    if (begun.length < width) continue;
    const [first, result] = begun.shift()!;
    yield [first, await result];
  }
  for (const [item, result] of begun) yield [item, await result];
}
