import assert from "node:assert/strict";
import { createYielding, type Yielding } from "./yielding.ts";

/** Rounds of the event loop until something holds. */
async function roundsUntil(holds: () => boolean): Promise<number> {
  let rounds = 0;
  for (; !holds(); rounds++) await new Promise((resolve) => setImmediate(resolve));
  return rounds;
}

Deno.test("work goes on for a slice of time, then waits for the next round of the event loop", async () => {
  let now = 0;
  const yielding = createYielding({ sliceMs: 10, now: () => now });
  assert.equal(yielding(), undefined);
  now = 9;
  assert.equal(yielding(), undefined);
  now = 10;
  const wait = yielding();
  assert.ok(wait);
  await wait;
  assert.equal(yielding(), undefined);
  now = 25;
  assert.ok(yielding());
  await roundsUntil(() => yielding() === undefined);
});

Deno.test("those who wait do their work in turns that fit a slice, however many they are", async () => {
  let now = 0;
  const yielding = createYielding({ sliceMs: 10, now: () => now });
  const done: number[] = [];
  let began = 0;
  const work = async (number: number, yielding: Yielding): Promise<void> => {
    for (let wait = yielding(); wait; wait = yielding()) await wait;
    now += 4;
    done.push(number);
  };
  let longest = 0;
  const rounds = (async () => {
    while (done.length < 100) {
      began = now;
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, now - began);
    }
  })();
  await Promise.all(Array.from({ length: 100 }, (_, number) => work(number, yielding)));
  await rounds;
  assert.deepEqual(done.toSorted((a, b) => a - b), Array.from({ length: 100 }, (_, n) => n));
  // Three pieces of four: the last is begun before the slice is over.
  assert.ok(longest <= 12, `${longest} ms in a round`);
});
