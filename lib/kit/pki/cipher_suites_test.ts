import assert from "node:assert/strict";
import { allowedSuites, FIPS_SUITES } from "./mod.ts";

Deno.test("a list of cipher suites: no list, known names, names that the runtime lacks", () => {
  assert.equal(allowedSuites([]), undefined);
  const [good, absent] = ["TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_RC4_128_SHA"];
  assert.deepEqual([...allowedSuites([good, absent])!], [good]);
  for (const bad of [[absent], ["TLS_NONE"], [good, ""], ["tls_aes_128_gcm_sha256"]]) {
    assert.throws(() => allowedSuites(bad), { code: "cipher-suites" });
  }
  assert.equal(FIPS_SUITES.size, 6);
});
