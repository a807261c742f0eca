import assert from "node:assert/strict";
import { createTurns, type Task } from "./turns.ts";

/** A clock that work moves, and tasks that work on it. */
function world() {
  const clock = { now: 0 };
  const log: string[] = [];
  const task = (name: string, party: object, steps: number): Task => ({
    party,
    run(expired) {
      while (steps > 0) {
        steps--;
        clock.now += 0.1;
        log.push(name);
        if (expired()) return true;
      }
      return false;
    },
  });
  return { clock, log, task, now: () => clock.now };
}

/** The names in a log, without repetitions in a row. */
function runs(log: readonly string[]): string[] {
  return log.filter((name, i) => name !== log[i - 1]);
}

/** Waits for rounds of the event loop until something holds. */
async function until(holds: () => boolean): Promise<number> {
  let rounds = 0;
  for (; !holds(); rounds++) await new Promise((resolve) => setImmediate(resolve));
  return rounds;
}

Deno.test("work runs at once while a round has time and no other party waits", async () => {
  const { log, task, now } = world();
  const turns = createTurns({ roundMs: 3, turnMs: 0.5, now });
  turns.add(task("a", {}, 3));
  assert.equal(log.length, 3);
  turns.add(task("b", {}, 100));
  assert.ok(log.length < 103, "not all of the second fits into the round");
  await until(() => log.length === 103);
});

Deno.test("parties take turns, and connections of one party share its turns", async () => {
  const { log, task, now } = world();
  const turns = createTurns({ roundMs: 1, turnMs: 0.5, now });
  const address = {};
  turns.add(task("first", {}, 20));
  for (const name of ["x1", "x2", "x3"]) turns.add(task(name, address, 32));
  turns.add(task("other", {}, 24));
  await until(() => log.length === 20 + 96 + 24);
  const order = runs(log.slice(log.indexOf("x1")));
  const before = order.slice(0, order.lastIndexOf("other"));
  const ofAddress = before.filter((name) => name.startsWith("x")).length;
  const ofOther = before.filter((name) => name === "other").length + 1;
  assert.ok(Math.abs(ofAddress - ofOther) <= 1, order.join(" "));
});

Deno.test("a round of the event loop has a bounded time for all work", async () => {
  const { clock, log, task, now } = world();
  const turns = createTurns({ roundMs: 3, turnMs: 0.5, now });
  for (let i = 0; i < 50; i++) turns.add(task(`${i}`, {}, 16));
  let longest = 0;
  let before = clock.now;
  while (log.length < 50 * 16) {
    await until(() => clock.now !== before);
    longest = Math.max(longest, clock.now - before);
    before = clock.now;
  }
  // A last turn is begun before the time is used up, and looks at the clock every eight steps.
  assert.ok(longest <= 3 + 0.9, `${longest} ms`);
});
