import assert from "node:assert/strict";
import { testSettings } from "../../../tests/support/agent_settings.ts";
import { useEnvironment } from "../../kit/env/mod.ts";
import { planAgent } from "./plan.ts";
import { readEnv } from "./variables.ts";

/** Variables that change the bootstrap file. */
const NAMES = [
  "ENABLE_DELIMITED_STATS_TAG_REGEX",
  "ENABLE_DEFERRED_STATS_CREATION",
  "BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS",
];

for (const name of NAMES) {
  Deno.test(`${name} changes the bootstrap file`, () => {
    const plan = (value?: string): string =>
      planAgent(testSettings({ environ: value === undefined ? {} : { [name]: value } })).bootstrap;
    assert.notEqual(plan("true"), plan("false"));
    assert.ok([plan("true"), plan("false")].includes(plan()), "the default is neither");
  });
}

Deno.test("MESH_GPRC_MAXSTREAMS bounds the streams at the agent's socket", () => {
  const streams = (environment: Readonly<Record<string, string>>): number => {
    using _ = useEnvironment(environment);
    return readEnv().maxStreams;
  };
  assert.equal(streams({}), 100_000);
  assert.equal(streams({ MESH_GPRC_MAXSTREAMS: "7" }), 7);
});
