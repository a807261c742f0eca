/** Requests at a time. */
const AT_A_TIME = 10;

/**
 * Runs work for each item, some at a time; the results are in the order of the items. After a failure
 * no further item begins.
 */
export async function forEach<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let hasFailed = false;
  const run = async (): Promise<void> => {
    while (!hasFailed && next < items.length) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(AT_A_TIME, items.length) }, run);
  const settled = await Promise.allSettled(workers);
  const failure = settled.find((one) => one.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return results;
}
