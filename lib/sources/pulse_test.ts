import assert from "node:assert/strict";
import { startPulse } from "./pulse.ts";
import { eventually } from "./sandbox.ts";

Deno.test("pulse: a storm is one piece of work, and a long one is not waited out", async () => {
  let runs = 0;
  const timing = { quiet: 30, maxQuiet: 120, rescan: 600_000 };
  const pulse = startPulse(() => Promise.resolve(void runs++), timing);
  for (let i = 0; i < 100; i++) pulse.poke();
  await eventually(() => assert.equal(runs, 1));
  // Pokes that never let it be quiet.
  const storm = setInterval(pulse.poke, 5);
  await eventually(() => assert.ok(runs >= 3));
  clearInterval(storm);
  await pulse.close();
  const after = runs;
  pulse.poke();
  await pulse.run();
  assert.equal(runs, after);
});

Deno.test("pulse: work never runs twice at a time, and a poke during work is not lost", async () => {
  let running = 0;
  let runs = 0;
  const go = Promise.withResolvers<void>();
  const pulse = startPulse(async () => {
    assert.equal(++running, 1);
    if (++runs === 1) pulse.poke();
    await go.promise;
    running--;
  }, { quiet: 1, maxQuiet: 10, rescan: 600_000 });
  const both = [pulse.run(), pulse.run()];
  await eventually(() => assert.equal(runs, 1));
  go.resolve();
  await Promise.all(both);
  await eventually(() => assert.equal(runs, 3));
  await pulse.close();
});
