import assert from "node:assert/strict";
import { cellText } from "./cell_text.ts";
import { span } from "./pages/layout.ts";

Deno.test("a computed value of a proxy class is named by what tells the class", () => {
  const key = JSON.stringify({
    clusterId: "home",
    labels: { app: "web" },
    namespace: "shop",
    role: "sidecar",
    targets: [],
  });
  for (const one of [key, JSON.stringify([key, "80"])]) {
    assert.equal(
      cellText({ table: "listeners", key: one }),
      "listeners for proxies (sidecar of namespace shop with app=web)",
    );
  }
  assert.equal(cellText({ table: "Gateway", key: "shop/web" }), "Gateway shop/web");
  assert.equal(cellText({ table: "routes", key: "{broken" }), "routes {broken");
});

Deno.test("a long time is in days", () => {
  assert.equal(span(15_864 * 3_600_000), "661\u00a0days");
  assert.equal(span(71 * 3_600_000), "71h0m0s");
  assert.equal(span(90_000), "1m30s");
});
