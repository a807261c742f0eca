import assert from "node:assert/strict";
import { preparation } from "./prepare.ts";

Deno.test("preparation: without work there is no wait; one run serves all waiting clients", async () => {
  let left = 0;
  let asked = 0;
  const prepared = preparation({ prepare: () => (asked++, left === 0 || --left === 0) });
  assert.equal(prepared(), undefined);
  left = 3;
  const first = prepared();
  assert.ok(first !== undefined);
  assert.equal(prepared(), first);
  await first;
  assert.equal(left, 0);
  assert.equal(asked, 4, "one look without work, three pieces");
  assert.equal(prepared(), undefined);
});

Deno.test("preparation: a source that cannot work prepare is not waited for", () => {
  assert.equal(preparation({})(), undefined);
});

Deno.test("preparation: a failure ends the wait, and every client is admitted", async () => {
  let calls = 0;
  const prepared = preparation({
    prepare() {
      if (++calls === 2) throw new Error("made to fail");
      return calls > 4;
    },
  });
  await prepared();
  assert.equal(calls, 2, "one piece, and the one that failed");
  await prepared();
  assert.equal(calls, 5, "the next one begins anew");
  assert.equal(prepared(), undefined);
});
