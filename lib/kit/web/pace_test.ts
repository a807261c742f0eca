import assert from "node:assert/strict";
import { createPace } from "./pace.ts";

Deno.test("a burst is answered at once, then one request a millisecond, and the burst comes back", () => {
  let time = 0;
  const pace = createPace(() => time);
  time = 1000;
  const waits = Array.from({ length: 60 }, () => pace());
  assert.deepEqual(waits.slice(0, 50), Array(50).fill(0));
  assert.deepEqual(waits.slice(50), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  time += 5;
  assert.equal(pace(), 6);
  time += 1000;
  assert.equal(pace(), 0);
});
