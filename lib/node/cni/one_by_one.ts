/**
 * Work in turn.
 *
 * @module
 */

/** Runs work of one key after the other; work of different keys runs at the same time. */
export type OneByOne = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function oneByOne(): OneByOne {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
