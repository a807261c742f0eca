import assert from "node:assert/strict";
import { testSettings } from "../../tests/support/agent_settings.ts";
import { planAgent } from "./plan.ts";

/** Variables that change the bootstrap file. */
const NAMES = ["ENABLE_DELIMITED_STATS_TAG_REGEX", "BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS"];

for (const name of NAMES) {
  Deno.test(`${name} changes the bootstrap file`, () => {
    const plan = (value?: string): string =>
      planAgent(testSettings({ environ: value === undefined ? {} : { [name]: value } })).bootstrap;
    assert.notEqual(plan("true"), plan("false"));
    assert.ok([plan("true"), plan("false")].includes(plan()), "the default is neither");
  });
}
