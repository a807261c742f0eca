import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { readDnsEnv } from "./variables.ts";

Deno.test("DNS_FORWARD_PARALLEL sets how nameservers are asked", () => {
  assert.equal(readDnsEnv().parallel, false);
  using _ = useEnvironment({ DNS_FORWARD_PARALLEL: "true" });
  assert.equal(readDnsEnv().parallel, true);
});
