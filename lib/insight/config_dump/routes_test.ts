import assert from "node:assert/strict";
import { describeDomains } from "./routes.ts";

const CASES: readonly (readonly [domains: readonly string[], text: string])[] = [
  [[], ""],
  [["*"], "*"],
  [["a.test", "a.test:80"], "a.test"],
  [["a.test", "a.test.", "a.test:80", "a.test.:80"], "a.test"],
  [["a.test.", "b.test"], "a.test., b.test"],
  [
    ["a.ns.svc.cluster.local", "a.ns.svc.cluster.local.", "a", "a.ns"],
    "a.ns.svc.cluster.local, a + 1 more...",
  ],
  [["[fd00::1]", "[fd00::1]:80"], "[fd00::1]"],
];

for (const [domains, text] of CASES) {
  Deno.test(`domains in a table: ${domains.join(" ") || "none"}`, () => {
    assert.equal(describeDomains(domains), text);
  });
}
