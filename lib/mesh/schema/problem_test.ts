import assert from "node:assert/strict";
import { newReport } from "./problem.ts";

Deno.test("a report lists 500 findings of each kind, and counts the others", () => {
  const report = newReport();
  for (let i = 0; i < 700; i++) report.warn(["spec", i], "old", `warning ${i}`, "Change it.");
  for (let i = 0; i < 500; i++) report.fail(["spec", i], "bad", `error ${i}`, "Change it.");
  assert.equal(report.errors.length, 500);
  assert.equal(report.warnings.length, 501);
  assert.equal(report.warnings[499]?.message, "warning 499");
  const last = report.warnings[500];
  assert.deepEqual([last?.code, last?.message], [
    "more-findings",
    "200 more of this document are not listed",
  ]);
});
