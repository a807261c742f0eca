import assert from "node:assert/strict";
import { assertGolden } from "../../../tests/support/golden.ts";
import { ROUTE_CASES, routeCase, routeCaseNames } from "../../../tests/support/route_cases.ts";

for (const name of await routeCaseNames()) {
  Deno.test(`routes: ${name}`, async () => {
    await assertGolden(new URL(`${name}.golden.json`, ROUTE_CASES), await routeCase(name));
  });
}

Deno.test("routes: each golden file has its case", async () => {
  const names = new Set(await routeCaseNames());
  for await (const entry of Deno.readDir(ROUTE_CASES)) {
    assert.ok(names.has(entry.name.split(".")[0]!), `${entry.name} belongs to no case`);
  }
});
