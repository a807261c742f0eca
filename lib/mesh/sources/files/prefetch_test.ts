import assert from "node:assert/strict";
import { prefetch } from "./prefetch.ts";

Deno.test("results come in order, and at most `width` calls are in progress", async () => {
  const finish: (() => void)[] = [];
  let begun = 0;
  let most = 0;
  const work = async (item: number): Promise<number> => {
    begun++;
    const mine = Promise.withResolvers<void>();
    finish.push(mine.resolve);
    await mine.promise;
    begun--;
    return item * 2;
  };
  const seen: [number, number][] = [];
  const run = (async () => {
    for await (const [item, result] of prefetch([1, 2, 3, 4, 5], 2, work)) {
      seen.push([item, result]);
    }
  })();
  while (seen.length < 5) {
    most = Math.max(most, begun);
    // The last one begun ends first, and still comes out in its place.
    finish.pop()?.();
    await Promise.resolve();
  }
  await run;
  assert.deepEqual(seen, [[1, 2], [2, 4], [3, 6], [4, 8], [5, 10]]);
  assert.equal(most, 2);
});
