import assert from "node:assert/strict";
import { withReport } from "./page.ts";

const PAGE = new URL("../../../docs/conformance.md", import.meta.url);

Deno.test("the page gets another report in the place of the one before", async () => {
  const page = await Deno.readTextFile(PAGE);
  const first = withReport(page, "kind: ConformanceReport\n");
  assert.match(first, /```yaml\nkind: ConformanceReport\n```/);
  const second = withReport(first, "kind: Other\n");
  assert.equal(second, withReport(page, "kind: Other"));
  assert.ok(!second.includes("kind: ConformanceReport"));
  assert.match(second, /^## Deviations$/m);
  assert.throws(() => withReport("# Page\n", ""), /the page lacks/);
});
