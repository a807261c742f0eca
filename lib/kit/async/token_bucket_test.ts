import assert from "node:assert/strict";
import { TokenBucket } from "./mod.ts";

function bucketOf(perSecond: number, burst: number) {
  const clock = { ms: 0 };
  return { clock, bucket: new TokenBucket({ perSecond, burst, now: () => clock.ms }) };
}

/** Tokens that can be taken now. */
function taken(bucket: TokenBucket): number {
  let count = 0;
  while (bucket.take()) count++;
  return count;
}

Deno.test("a bucket is full at first, fills at its rate, and holds no more than a burst", () => {
  const { clock, bucket } = bucketOf(10, 3);
  assert.equal(bucket.wait(), 0);
  assert.equal(taken(bucket), 3);
  assert.equal(bucket.wait(), 100);
  clock.ms += 99;
  assert.equal(bucket.take(), false);
  clock.ms += 101;
  assert.equal(taken(bucket), 2);
  clock.ms += 3_600_000;
  assert.equal(taken(bucket), 3);
});

Deno.test("tokens that are still to come are given out in the order of calls", () => {
  const { clock, bucket } = bucketOf(10, 2);
  assert.deepEqual([1, 2, 3, 4].map(() => bucket.reserve()), [0, 0, 100, 200]);
  assert.equal(bucket.take(), false);
  clock.ms += 200;
  assert.equal(bucket.take(), false, "both tokens of this time were given out before");
  clock.ms += 100;
  assert.equal(taken(bucket), 1);
});

Deno.test("a token that is given back is there for the next one, but not beyond a burst", () => {
  const { clock, bucket } = bucketOf(1, 1);
  assert.ok(bucket.take());
  bucket.giveBack();
  assert.ok(bucket.take());
  bucket.giveBack();
  clock.ms += 1000;
  assert.equal(taken(bucket), 1);
});
