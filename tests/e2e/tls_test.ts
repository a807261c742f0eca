/**
 * TLS and undeclared protocols, by traffic through real Envoys, over both xDS variants.
 *
 * @module
 */
import { withCertificates } from "../support/certificates.ts";
import { assertNothingRejected } from "../support/world.ts";
import { startTlsSuite, TLS_CASES } from "./tls/suite.ts";

Deno.test(withCertificates("TLS and undeclared protocols", async (t) => {
  await using suite = await startTlsSuite();
  for (const one of TLS_CASES) await t.step(one.name, () => one.run(suite.bench()));
  await t.step("no update was refused", () => assertNothingRejected(suite.world));
}));
