import assert from "node:assert/strict";
import { lazily } from "./mod.ts";

Deno.test("lazily: a value is made once, when it is asked for", () => {
  let made = 0;
  const value = lazily(() => {
    made++;
    return undefined;
  });
  assert.equal(made, 0);
  assert.equal(value(), undefined);
  assert.equal(value(), undefined);
  assert.equal(made, 1);
});

Deno.test("lazily: a failed computation is tried again", () => {
  let tries = 0;
  const value = lazily(() => {
    if (++tries === 1) throw new Error("not yet");
    return tries;
  });
  assert.throws(value, /not yet/);
  assert.equal(value(), 2);
});
