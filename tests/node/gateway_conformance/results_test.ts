import assert from "node:assert/strict";
import { resultsOf, summaryOf } from "./results.ts";
import { profileGroups } from "./suite.ts";

const OUTPUT = `=== RUN   Conformance
=== RUN   Conformance/B
    b.go:1: text
--- FAIL: Conformance (9.00s)
    --- FAIL: Conformance/B (1.00s)
        --- PASS: Conformance/B/0_request_to_'/a_(x)' (0.10s)
        --- FAIL: Conformance/B/1_request_to_'/b_(y)' (0.10s)
    --- PASS: Conformance/A (0.50s)
    --- SKIP: Conformance/C (0.00s)
FAIL
`;

Deno.test("results of the suite: tests with their failed parts", () => {
  const results = resultsOf(OUTPUT);
  assert.deepEqual(results, [
    { name: "A", verdict: "passed", failedParts: [] },
    { name: "B", verdict: "failed", failedParts: ["1_request_to_'/b_(y)'"] },
    { name: "C", verdict: "skipped", failedParts: [] },
  ]);
  assert.equal(
    summaryOf(results),
    "FAIL B\n     1_request_to_'/b_(y)'\n1 passed, 1 failed, 1 skipped",
  );
});

Deno.test("an output that ended early names no tests", () => {
  assert.deepEqual(resultsOf("=== RUN   Conformance/B\npanic: x\n"), []);
});

Deno.test("profiles of gateways and of the mesh are runs of their own", () => {
  assert.deepEqual(profileGroups(["MESH-HTTP", "GATEWAY-TLS", "MESH-GRPC"]), [
    ["GATEWAY-TLS"],
    ["MESH-HTTP", "MESH-GRPC"],
  ]);
  assert.deepEqual(profileGroups(["GATEWAY-TLS"]), [["GATEWAY-TLS"]]);
});
