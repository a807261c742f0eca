import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import { readFeatures } from "./features.ts";

const ON = { PILOT_ENABLE_PERSISTENT_SESSION_FILTER: "true" };
const COOKIE = "mesh.io/persistent-session";
const HEADER = "mesh.io/persistent-session-header";

const SESSIONS: readonly [env: Record<string, string>, expected: unknown][] = [
  [{}, undefined],
  [{ PILOT_PERSISTENT_SESSION_LABEL: "a" }, undefined],
  [ON, { cookie: COOKIE, header: HEADER }],
  [{ ...ON, PILOT_PERSISTENT_SESSION_LABEL: "a.b/c" }, { cookie: "a.b/c", header: HEADER }],
  [{ ...ON, PILOT_PERSISTENT_SESSION_HEADER_LABEL: "h" }, { cookie: COOKIE, header: "h" }],
];

for (const [env, expected] of SESSIONS) {
  Deno.test(`sessions under ${JSON.stringify(env)}`, () => {
    using _ = useEnvironment(env);
    assert.deepEqual(readFeatures().sessions, expected);
  });
}

Deno.test("headless services are served by endpoints where a variable says so", () => {
  assert.equal(readFeatures().headlessEds, false);
  using _ = useEnvironment({ PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES: "true" });
  assert.equal(readFeatures().headlessEds, true);
});
