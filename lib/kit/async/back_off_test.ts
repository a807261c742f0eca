import assert from "node:assert/strict";
import fc from "fast-check";
import { around, jittered, pauseAfter } from "./mod.ts";

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

Deno.test("pauses grow to the longest and never below half of what they could be", () => {
  const backoff = { first: 200, longest: 10_000 };
  fc.assert(fc.property(fc.integer({ min: 1, max: 10_000 }), fraction, (failures, random) => {
    const full = pauseAfter(failures, backoff);
    const pause = jittered(full, random);
    assert.ok(pause >= full / 2 && pause <= full && full <= backoff.longest);
    assert.ok(full <= pauseAfter(failures + 1, backoff));
  }));
  assert.equal(pauseAfter(1, backoff), 200);
  assert.equal(pauseAfter(2, backoff), 320);
  assert.equal(pauseAfter(100, backoff), 10_000);
  assert.deepEqual([1, 2, 3, 4].map((n) => pauseAfter(n, { first: 1, longest: 5, growth: 2 })), [
    1,
    2,
    4,
    5,
  ]);
});

Deno.test("a period is met with a quarter of it at most in either direction", () => {
  assert.equal(around(1000, 0), 750);
  assert.equal(around(1000, 0.5), 1000);
  fc.assert(fc.property(fraction, (random) => {
    assert.ok(around(1000, random) >= 750 && around(1000, random) <= 1250);
  }));
});
