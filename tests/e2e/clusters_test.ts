/**
 * Endpoints, load balancing, limits and scopes, by traffic through a real Envoy, over both xDS
 * variants.
 *
 * @module
 */
import { assertNothingRejected } from "../support/world.ts";
import { runCase } from "./clusters/case.ts";
import { CLUSTER_CASES, startClusterSuite } from "./clusters/suite.ts";

Deno.test("services are reached at their endpoints", async (t) => {
  await using suite = await startClusterSuite();
  const { world, parts } = suite;
  for (const one of CLUSTER_CASES) await t.step(one.name, () => runCase(one, world, parts));
  await t.step("no update was refused", () => assertNothingRejected(world));
});
