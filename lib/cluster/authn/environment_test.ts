/**
 * Each variable of authentication, flipped in the environment.
 */
import assert from "node:assert/strict";
import { startTokenIssuer } from "../../../tests/support/identity.ts";
import { useEnvironment } from "../../kit/env/mod.ts";
import { createAuthn } from "./mod.ts";

const ID = "spiffe://cluster.local/ns/shop/sa/cart";

/** True if the authenticator of this environment accepts a caller. */
async function accepts(
  environment: Readonly<Record<string, string>>,
  metadata: readonly (readonly [string, string])[],
): Promise<boolean> {
  using _ = useEnvironment(environment);
  const authn = createAuthn({
    trustDomain: "cluster.local",
    roots: () => undefined,
    clock: () => Date.now(),
  });
  return await authn.authenticate({ peer: "10.1.2.3:4567", metadata: new Map(metadata) })
    .then(() => true, () => false);
}

Deno.test("JWT_RULE, AUDIENCE, TOKEN_AUDIENCES and TOKEN_ISSUER decide about tokens", async () => {
  await using issuer = await startTokenIssuer();
  const token = await issuer.token("shop", "cart");
  const call = [["authorization", `Bearer ${token}`]] as const;
  const { audiences: _, ...open } = JSON.parse(issuer.rule);
  const rule = { JWT_RULE: JSON.stringify(open) };
  const cases: readonly [environment: Readonly<Record<string, string>>, accepted: boolean][] = [
    [{}, false],
    [{ JWT_RULE: issuer.rule }, true],
    // Without audiences in the rule, the variables have them; the default is mesh-ca.
    [rule, true],
    [{ ...rule, AUDIENCE: "other" }, false],
    [{ ...rule, AUDIENCE: "mesh-ca", TOKEN_AUDIENCES: "other" }, true],
    [{ ...rule, TOKEN_AUDIENCES: "other" }, false],
    [{ ...rule, TOKEN_AUDIENCES: "other,mesh-ca" }, true],
    [{ ...rule, TOKEN_ISSUER: "https://other.example" }, false],
    [{ ...rule, TOKEN_ISSUER: open.issuer }, true],
  ];
  for (const [environment, accepted] of cases) {
    assert.equal(await accepts(environment, call), accepted, JSON.stringify(environment));
  }
});

Deno.test("TRUSTED_GATEWAY_CIDR lets gateways forward certificates", async () => {
  const call = [["x-forwarded-client-cert", `URI=${ID}`]] as const;
  assert.equal(await accepts({}, call), false);
  assert.equal(await accepts({ TRUSTED_GATEWAY_CIDR: "11.0.0.0/8" }, call), false);
  assert.equal(await accepts({ TRUSTED_GATEWAY_CIDR: "11.0.0.0/8,10.0.0.0/8" }, call), true);
});
