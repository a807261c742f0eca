import assert from "node:assert/strict";
import { breather } from "./breath.ts";

Deno.test("work goes on for a slice of time, then waits for a round of timers, all together", async () => {
  let now = 0;
  const breath = breather({ sliceMs: 10, now: () => now });
  assert.equal(breath(), undefined);
  now = 9;
  assert.equal(breath(), undefined);
  now = 10;
  const wait = breath();
  assert.ok(wait);
  assert.equal(breath(), wait, "who comes meanwhile waits with the others");
  let ticked = false;
  setTimeout(() => ticked = true, 0);
  await wait;
  assert.equal(breath(), undefined);
  now = 25;
  for (let again = breath(); again; again = breath()) await again;
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(breath(), undefined, "after a pause there is nothing to wait for");
  assert.ok(ticked, "timers ran in between");
  await new Promise((resolve) => setTimeout(resolve, 1));
});
