/**
 * Tasks at the same time.
 *
 * @module
 */

/** Runs tasks, some at a time. */
export async function inParallel<T>(
  items: readonly T[],
  workers: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: workers }, work));
}
