import assert from "node:assert/strict";
import fc from "fast-check";
import { pauseAfter } from "./dial.ts";

Deno.test("pauses grow to the longest and never below half of what they could be", () => {
  const backoff = { first: 200, longest: 10_000 };
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 10_000 }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (failures, random) => {
      const pause = pauseAfter(failures, backoff, random);
      const full = pauseAfter(failures, backoff, 1);
      assert.ok(pause >= full / 2 && pause <= full && full <= backoff.longest);
      assert.ok(full <= pauseAfter(failures + 1, backoff, 1));
    },
  ));
  assert.equal(pauseAfter(1, backoff, 1), 200);
  assert.equal(pauseAfter(100, backoff, 1), 10_000);
});
