import assert from "node:assert/strict";
import { ageOf, createFence, type Moment } from "./fence.ts";
import { settled } from "../../../../tests/support/settled.ts";

const FENCE_MS = 5_000;

/** A change of both clocks → writes pass without a new renewal. */
const JUMPS: readonly (readonly [string, Moment, boolean])[] = [
  ["a short time", { monotonic: 4_000, wall: 4_000 }, true],
  ["a stopped process", { monotonic: 20_000, wall: 20_000 }, false],
  ["a sleeping machine", { monotonic: 10, wall: 20_000 }, false],
  ["a wall clock that is set forward", { monotonic: 10, wall: 3_600_000 }, false],
  ["a wall clock that is set back", { monotonic: 4_000, wall: -3_600_000 }, true],
  ["a stopped process, and a wall clock that is set back", { monotonic: 6_000, wall: -1 }, false],
];

for (const [what, by, passes] of JUMPS) {
  Deno.test(`writes after ${what} ${passes ? "pass" : "wait for a renewal"}`, async () => {
    const start = { monotonic: 1_000, wall: 1_700_000_000_000 };
    let now = start;
    const fence = createFence({
      renewedAt: start,
      fenceMs: FENCE_MS,
      signal: new AbortController().signal,
      now: () => now,
    });
    now = { monotonic: start.monotonic + by.monotonic, wall: start.wall + by.wall };
    let hasPassed = false;
    const written = fence.pass().then(() => hasPassed = true);
    await settled();
    assert.equal(hasPassed, passes);
    // An attempt that fails changes nothing.
    fence.attempted(undefined);
    await settled();
    assert.equal(hasPassed, passes);
    fence.attempted(now);
    await written;
  });
}

Deno.test("writes that wait are refused at the end of the term, and so are later ones", async () => {
  const term = new AbortController();
  const fence = createFence({
    renewedAt: { monotonic: 0, wall: 0 },
    fenceMs: FENCE_MS,
    signal: term.signal,
    now: () => ({ monotonic: 6_000, wall: 6_000 }),
  });
  const written = assert.rejects(fence.pass(), { code: "lease-lost" });
  term.abort();
  await written;
  await assert.rejects(fence.pass(), { code: "lease-lost" });
});

Deno.test("the age of a lease is the longer one of both clocks", () => {
  const then = { monotonic: 100, wall: 1_000 };
  assert.equal(ageOf(then, { monotonic: 150, wall: 1_010 }), 50);
  assert.equal(ageOf(then, { monotonic: 150, wall: 2_000 }), 1_000);
  assert.equal(ageOf(then, { monotonic: 150, wall: 0 }), 50);
});
