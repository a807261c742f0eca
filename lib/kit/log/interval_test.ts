import assert from "node:assert/strict";
import { intervalLogger, scope } from "./mod.ts";

Deno.test("an interval logger writes once for each key in an interval, and remembers a bounded number of keys", () => {
  let now = 0;
  const once = intervalLogger(scope("default"), { everyMs: 100, limit: 2, now: () => now });
  assert.ok(once("a"));
  assert.equal(once("a"), undefined);
  now = 99;
  assert.equal(once("a"), undefined);
  assert.ok(once("b"));
  now = 100;
  assert.ok(once("a"), "the next interval");
  assert.equal(once("b"), undefined);
  assert.ok(once("c"));
  assert.ok(once("b"), "the oldest key was forgotten");
});
