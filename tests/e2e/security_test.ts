/**
 * Mutual TLS and authorisation by what callers meet at real proxies.
 *
 * @module
 */
import { withCertificates } from "../support/certificates.ts";
import type { SecurityCase } from "./security/case.ts";
import { MUTUAL_CASES } from "./security/mutual_cases.ts";
import { startSecurityWorld } from "./security/world.ts";

const CASES: readonly SecurityCase[] = [...MUTUAL_CASES];

Deno.test(withCertificates("security between proxies", async (t) => {
  await using world = await startSecurityWorld();
  for (const one of CASES) await t.step(one.name, () => one.run(world));
}));
