/**
 * Routing features, by traffic through a real Envoy, over both xDS variants.
 *
 * @module
 */
import { assertNothingRejected } from "../support/world.ts";
import { runCase } from "./routing/case.ts";
import { ROUTING_CASES, startRoutingSuite } from "./routing/suite.ts";

Deno.test("routing rules steer traffic", async (t) => {
  await using suite = await startRoutingSuite();
  for (const testProxy of suite.world.testProxies) {
    for (const one of ROUTING_CASES) {
      const target = suite.targetOf(one, testProxy);
      await t.step(`${one.name} (${target.transport})`, () => runCase(one, target));
    }
  }
  await t.step("no update was refused", () => assertNothingRejected(suite.world));
});
