import assert from "node:assert/strict";
import { createFairYielding } from "./fair_yielding.ts";

/** Work of 2 ms for each entry, in the order in which it was done; `|` for a round of the event loop. */
async function workOf(connections: readonly string[]): Promise<string> {
  let now = 0;
  const yielding = createFairYielding({ sliceMs: 3, now: () => now });
  let done = "";
  let left = connections.length;
  const mark = () => {
    done += "|";
    if (left > 0) setImmediate(mark);
  };
  setImmediate(mark);
  await Promise.all(connections.map(async (connection) => {
    const pause = yielding(connection);
    if (pause) await pause;
    done += connection;
    now += 2;
    left--;
  }));
  return done;
}

Deno.test("work goes on for a slice of a round, and connections take turns", async () => {
  const done = await workOf(["a", "a", "a", "a", "a", "b", "c"]);
  assert.equal(done.replaceAll("|", ""), "aaabcaa");
  for (const round of done.split("|")) assert.ok(round.length <= 2, done);
});

Deno.test("a connection with little work is not kept waiting by one with much", async () => {
  const done = await workOf([..."a".repeat(500), "b"]);
  assert.equal(done.replaceAll("|", "").indexOf("b"), 3);
});
