/**
 * Routes of every kind of the Gateway API, by traffic through real Envoys: gateways that somebody else
 * started, and sidecars.
 *
 * @module
 */
import { assertNothingRejected } from "../support/world.ts";
import { AUTHORIZER_CASES } from "./gateway_api/authorizer_cases.ts";
import { CONNECTION_CASES } from "./gateway_api/connection_cases.ts";
import { MESH_CASES } from "./gateway_api/mesh_cases.ts";
import { REQUEST_CASES } from "./gateway_api/request_cases.ts";
import { SESSION_CASES } from "./gateway_api/session_cases.ts";
import { startRoutesSuite } from "./gateway_api/suite.ts";

Deno.test("routes of the Gateway API, by traffic", async (t) => {
  await using suite = await startRoutesSuite();
  const { world, bench } = suite;
  const cases = [
    ...REQUEST_CASES,
    ...CONNECTION_CASES,
    ...MESH_CASES,
    ...SESSION_CASES,
    ...AUTHORIZER_CASES,
  ];
  for (const { name, run } of cases) {
    await t.step(name, () => run(bench));
  }
  await assertNothingRejected(world);
});
