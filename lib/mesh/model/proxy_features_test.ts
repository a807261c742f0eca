import assert from "node:assert/strict";
import { missingFeatures, type ProxyBuild } from "./mod.ts";

function missingOf(build: Partial<ProxyBuild>): string[] {
  const whole = { extensions: new Set<string>(), version: "", userAgent: "envoy", ...build };
  return missingFeatures(whole).map(({ name }) => name).sort();
}

const EVERY = new Set([
  "envoy.access_loggers.stats",
  "envoy.load_balancing_policies.wrr_locality",
]);

Deno.test("a current Envoy lacks nothing, and neither does an unknown build", () => {
  assert.deepEqual(missingOf({ version: "1.39.3", extensions: EVERY }), []);
  assert.deepEqual(missingOf({ version: "2.0.0" }), []);
  assert.deepEqual(missingOf({ version: "dev" }), []);
  assert.deepEqual(missingOf({ version: "1.2.3", userAgent: "gRPC" }), []);
});

Deno.test("an older Envoy lacks the fields that came later", () => {
  assert.deepEqual(missingOf({ version: "1.38.3", extensions: EVERY }), [
    "metrics",
    "patch-values-1.39",
    "retry-budget-interval",
  ]);
  assert.deepEqual(missingOf({ version: "1.36.4" }), [
    "formatted-tags",
    "handshake-first",
    "metrics",
    "patch-values-1.37",
    "patch-values-1.38",
    "patch-values-1.39",
    "pool-hash",
    "retry-budget-interval",
    "virtual-hosts",
    "weighed-utilization",
  ]);
});

Deno.test("a build without an extension lacks its feature, whatever its version", () => {
  const extensions = new Set(["envoy.access_loggers.stats"]);
  assert.deepEqual(missingOf({ version: "1.40.0", extensions }), ["weighed-utilization"]);
});
