import assert from "node:assert/strict";
import { createArrivals } from "./arrivals.ts";

Deno.test("addresses that are forgotten begin with a whole burst, and others are not forgotten", () => {
  let now = 0;
  const arrivals = createArrivals({ burst: 2, perSecond: 1 }, () => now);
  for (let i = 0; i < 900; i++) assert.ok(arrivals.take(`10.0.${i >> 8}.${i & 255}`));
  now = 1000;
  assert.ok(arrivals.take("10.1.0.0"));
  assert.ok(arrivals.take("10.1.0.0"));
  // More addresses than are kept: those of the first second are forgotten.
  for (let i = 1; i < 900; i++) assert.ok(arrivals.take(`10.1.${i >> 8}.${i & 255}`));
  assert.equal(arrivals.take("10.1.0.0"), false, "its burst is used up");
  assert.ok(arrivals.take("10.0.0.0"));
  assert.ok(arrivals.take("10.0.0.0"));
  assert.equal(arrivals.take("10.0.0.0"), false);
});
