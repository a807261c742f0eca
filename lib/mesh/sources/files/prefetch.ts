/**
 * Reads ahead: starts work that waits for the disk before its result is needed.
 *
 * @module
 */

/**
 * The results of `work` for each item, in the order of the items; at most `width` calls are in
 * progress, so that memory is bounded and the disk's waiting times overlap. `work` must not reject
 * before its result is taken.
 */
export async function* prefetch<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<readonly [item: T, result: R]> {
  const started: (readonly [T, Promise<R>])[] = [];
  for (const item of items) {
    started.push([item, work(item)]);
    if (started.length < width) continue;
    const [first, result] = started.shift()!;
    yield [first, await result];
  }
  for (const [item, result] of started) yield [item, await result];
}
