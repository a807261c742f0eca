import assert from "node:assert/strict";
import { certificateFault, generateKey, issueAuthority } from "./mod.ts";

Deno.test("a certificate has a fault before and after its period, and when it cannot be read", async () => {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const [notBefore, notAfter] = [Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 1)];
  const { pem } = await issueAuthority({
    organization: "o",
    commonName: "c",
    key,
    notBefore,
    notAfter,
  });
  assert.equal(certificateFault(pem, notBefore + 1000), undefined);
  assert.match(certificateFault(pem, notBefore - 1000)!, /valid from 2030-01-01T00:00:00/);
  assert.match(certificateFault(pem, notAfter + 1000)!, /expired at 2031-01-01T00:00:00/);
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  assert.notEqual(certificateFault(broken, notBefore), undefined);
});
