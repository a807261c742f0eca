import assert from "node:assert/strict";
import { inTurns } from "./mod.ts";

/** Work of ten steps, each of which takes some milliseconds of a clock. */
function work(millis: number) {
  let time = 0;
  const turns: number[] = [];
  let done = 0;
  const steps = function* (): Generator<void, string> {
    for (; done < 10; done++) {
      time += millis;
      yield;
    }
    return "result";
  };
  const pause = () => Promise.resolve(turns.push(done));
  return { turns, result: inTurns(steps(), { now: () => time, pause }) };
}

Deno.test("other work has a turn after each long step, and after some short ones", async () => {
  const long = work(50);
  assert.equal(await long.result, "result");
  assert.deepEqual(long.turns, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const short = work(4);
  assert.equal(await short.result, "result");
  assert.deepEqual(short.turns, [2, 5, 8]);
  assert.deepEqual(work(0.5).turns, []);
});

Deno.test("work that fails in a step fails as a whole", async () => {
  const steps = function* (): Generator<void, void> {
    yield;
    throw new Error("bad");
  };
  await assert.rejects(inTurns(steps()), { message: "bad" });
});
