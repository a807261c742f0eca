/**
 * Fetching keys of token issuers by the daemon or the proxies, by the environment variable.
 *
 * @module
 */
import assert from "node:assert/strict";
import { withCertificates } from "../support/certificates.ts";
import { becomes, inPlain } from "./security/case.ts";
import { startIssuer } from "./security/servers.ts";
import { policy, type SecurityWorld, startSecurityWorld } from "./security/world.ts";
import { collectorService } from "./telemetry/collectors.ts";

/** Name of the keys' service, which only proxies can find: no DNS server knows it. */
const KEYS = "keys.test";

/** Result for a valid token whose keys are at a service of the mesh, and elsewhere. */
const MODES: readonly (readonly [mode: string, atService: number, elsewhere: number])[] = [
  ["hybrid", 200, 200],
  ["dataproxy", 200, 401],
  ["false", 401, 200],
];

for (const [mode, atService, elsewhere] of MODES) {
  Deno.test(withCertificates(
    `keys of token issuers with PILOT_JWT_ENABLE_REMOTE_JWKS=${mode}`,
    async () => {
      await using issuer = await startIssuer("https://issuer.test/remote");
      const port = Number(new URL(issuer.uri).port);
      await using world = await startSecurityWorld({
        services: [collectorService("keys", port, "HTTP")],
        env: { PILOT_JWT_ENABLE_REMOTE_JWKS: mode, JWKS_ALLOWED_CIDRS: "127.0.0.1/32" },
      });
      const token = await issuer.token({ sub: "ann" });
      const ask = (): Promise<number> =>
        inPlain(world, "/", { headers: { authorization: `Bearer ${token}` } });
      await apply(world, issuer.name, `http://${KEYS}:${port}/keys`);
      await becomes(`a token with keys at a service`, atService, ask);
      assert.equal(issuer.fetches > 0, atService === 200);
      // Where the daemon fetches the keys, it cannot find the service, and says so.
      const overview = await overviewOf(world);
      const card = /keys\.test\S* cannot be fetched; no token of it is accepted/;
      if (mode === "false") {
        assert.match(overview, card);
        assert.match(overview, /RequestAuthentication \S*tokens/);
      } else assert.doesNotMatch(overview, card);
      await apply(world, issuer.name, issuer.uri);
      await becomes(`a token with keys elsewhere`, elsewhere, ask);
      assert.equal(await inPlain(world, "/"), 200, "nobody needs a token");
    },
  ));
}

async function overviewOf({ daemon }: SecurityWorld): Promise<string> {
  const answer = await fetch(`${daemon.http}/debug`, { headers: { accept: "text/html" } });
  return (await answer.text()).replaceAll(/<[^>]*>/g, " ");
}

function apply(world: SecurityWorld, issuer: string, jwksUri: string): Promise<void> {
  return world.apply(
    policy("RequestAuthentication", "tokens", { jwtRules: [{ issuer, jwksUri }] }),
  );
}
