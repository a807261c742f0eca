import assert from "node:assert/strict";
import { startScanScheduler } from "./scan_scheduler.ts";
import { eventually } from "../../../../tests/support/file_source_fixture.ts";

Deno.test("scheduler: a burst of triggers is one scan, and an endless one is not waited for", async () => {
  let runs = 0;
  const timing = { quiet: 30, complete: 30, maxQuiet: 120, rescan: 600_000 };
  const scheduler = startScanScheduler(() => Promise.resolve(void runs++), timing);
  for (let i = 0; i < 100; i++) scheduler.trigger();
  await eventually(() => assert.equal(runs, 1));
  // Triggers without a quiet time between them.
  const storm = setInterval(scheduler.trigger, 5);
  await eventually(() => assert.ok(runs >= 3));
  clearInterval(storm);
  await scheduler.close();
  const after = runs;
  scheduler.trigger();
  await scheduler.run();
  assert.equal(runs, after);
});

Deno.test("scheduler: scans never overlap, and a trigger during a scan is not lost", async () => {
  let running = 0;
  let runs = 0;
  const go = Promise.withResolvers<void>();
  const scheduler = startScanScheduler(async () => {
    assert.equal(++running, 1);
    if (++runs === 1) scheduler.trigger();
    await go.promise;
    running--;
  }, { quiet: 1, complete: 1, maxQuiet: 10, rescan: 600_000 });
  const both = [scheduler.run(), scheduler.run()];
  await eventually(() => assert.equal(runs, 1));
  go.resolve();
  await Promise.all(both);
  await eventually(() => assert.equal(runs, 3));
  await scheduler.close();
});
