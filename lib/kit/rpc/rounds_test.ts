import assert from "node:assert/strict";
import { nextRound, roundsEnded } from "./rounds.ts";

/** Works for some milliseconds in each round, until it is stopped. */
function keepBusy(next: (run: () => void) => void): { stop(): void } {
  let isOver = false;
  const work = () => {
    const start = performance.now();
    while (performance.now() - start < 3);
    if (!isOver) next(work);
  };
  work();
  return { stop: () => isOver = true };
}

/** The longest of several waits for an answer over a new connection, ms. */
async function longestAnswer(): Promise<number> {
  using listener = Deno.listen({ port: 0 });
  const serving = (async () => {
    for await (const conn of listener) {
      await conn.write(new Uint8Array(1));
      conn.close();
    }
  })();
  let longest = 0;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    using conn = await Deno.connect({ port: (listener.addr as Deno.NetAddr).port });
    await conn.read(new Uint8Array(1));
    longest = Math.max(longest, performance.now() - start);
  }
  listener.close();
  await serving.catch(() => {});
  return longest;
}

/** The longest wait for a response while `next` schedules work in rounds, ms. */
async function waitBeside(next: (run: () => void) => void): Promise<number> {
  const work = keepBusy(next);
  const waited = await longestAnswer();
  work.stop();
  return waited;
}

Deno.test("work that goes on round by round lets new connections in meanwhile", async () => {
  // Other processes delay answers, too: the difference shows in one of several attempts.
  const seen: string[] = [];
  for (let attempt = 0; attempt < 10; attempt++) {
    const withRounds = await waitBeside(nextRound);
    const withImmediates = await waitBeside((run) => void setImmediate(run));
    if (withRounds < withImmediates / 2) return;
    seen.push(`${withRounds} ms, else ${withImmediates} ms`);
  }
  assert.fail(seen.join("\n"));
});

Deno.test("callbacks run in the order in which they asked, also when the round waits for the network", async () => {
  const order: number[] = [];
  let asked = 0;
  // Long enough for several waits.
  for (const end = performance.now() + 50; performance.now() < end;) {
    const start = performance.now();
    while (performance.now() - start < 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (let i = 0; i < 3; i++) {
      const number = asked++;
      nextRound(() => void order.push(number));
    }
    nextRound(resolve);
    await promise;
  }
  assert.deepEqual(order, Array.from({ length: asked }, (_, i) => i));
});

/** Works in short steps without a pause, so that a round that waits for the network is due. */
function workForLong(): void {
  for (const end = performance.now() + 100; performance.now() < end;) {
    nextRound(() => {});
    const start = performance.now();
    while (performance.now() - start < 1);
  }
}

Deno.test("the end of the rounds comes after the callbacks that wait for the network", async () => {
  // If another process pauses this one at the last step, no wait is due: another attempt follows.
  let hasRun = false;
  for (let attempt = 0; attempt < 20 && !hasRun; attempt++) {
    workForLong();
    nextRound(() => hasRun = true);
    await roundsEnded();
  }
  assert.equal(hasRun, true);
});
