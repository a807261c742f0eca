/** Variables of probes, as they are read; the effect of each form is in the tests of probes. */
import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { readProbesEnv } from "./variables.ts";

Deno.test("MESH_ENABLE_HTTP2_PROBING sets the protocol of HTTPS probes", () => {
  const http2 = (environment: Readonly<Record<string, string>>): boolean => {
    using _ = useEnvironment(environment);
    return readProbesEnv().http2;
  };
  assert.equal(http2({}), true);
  assert.equal(http2({ MESH_ENABLE_HTTP2_PROBING: "false" }), false);
});
