import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { reconcile, Wake } from "./reconcile.ts";

async function failures(): Promise<number> {
  const { body } = await expose();
  return Number(/^controller_sync_errors_total (\d+)$/m.exec(body)?.[1] ?? NaN);
}

Deno.test("controller_sync_errors_total: a pass that fails is counted and repeated", async () => {
  const before = await failures();
  const term = new AbortController();
  let passes = 0;
  await reconcile(term, new Wake(), {
    name: "failing",
    follows: [],
    pass() {
      if (++passes === 1) return Promise.reject(new Error("refused"));
      term.abort();
      return Promise.resolve(0);
    },
  });
  assert.equal(passes, 2);
  assert.equal(await failures() - before, 1);
});
