import assert from "node:assert/strict";
import { applicationTarget } from "./scrape.ts";

const TARGETS: readonly (readonly [string, object | undefined])[] = [
  ["{}", { port: 80, path: "/metrics" }],
  ['{"scrape":"true","path":"/m","port":"8080"}', { port: 8080, path: "/m" }],
  ['{"scrape":true,"path":"m","port":8080}', { port: 8080, path: "/m" }],
  ['{"scrape":"","path":"","port":""}', { port: 80, path: "/metrics" }],
  ['{"scrape":"false","port":"15020"}', undefined],
];
for (const [text, target] of TARGETS) {
  Deno.test(`the application's metrics by ${text}`, () => {
    assert.deepEqual(applicationTarget(text, 15020), target);
  });
}

for (const text of ["", "{", '{"port":"x"}', '{"port":"70000"}', '{"path":1}', '{"port":15020}']) {
  Deno.test(`the application's metrics by ${text || "nothing"} are refused`, () => {
    assert.throws(() => applicationTarget(text, 15020), { code: "agent-metrics" });
  });
}
