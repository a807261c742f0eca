import assert from "node:assert/strict";
import { limiter } from "./limiter.ts";

Deno.test("a second's worth goes at once, the next wait in line, and the line ends", async () => {
  let now = 5000;
  const gate = limiter({ rate: 1000, maxWaitMs: 2, now: () => now });
  const turns = Array.from({ length: 1010 }, () => gate.turn());
  const answers = await Promise.all(turns);
  // 1000 at once and the one whose turn is now, two more within the wait, the others never.
  assert.equal(answers.filter((admitted) => admitted).length, 1003);
  assert.ok(answers.slice(0, 1003).every((admitted) => admitted), "first come, first served");
  now += 500;
  assert.equal(await gate.turn(), true, "later there is room again");
});
