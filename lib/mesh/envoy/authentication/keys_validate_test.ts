/**
 * Compares Mesh's check of token keys with the real Envoy, which rejects a listener for a set
 * without a usable key.
 *
 * @module
 */
import assert from "node:assert/strict";
import { validateBootstrap } from "../../../../tests/support/envoy_validate.ts";
import { tokenKeys } from "../../../../tests/support/token_keys.ts";
import type { JsonValue } from "../../../kit/proto/mod.ts";
import { hasUsableKey } from "./keys.ts";

/** Number of Envoys that run at the same time. */
const WIDTH = 3;

const HTTP = "type.googleapis.com/envoy.extensions.filters.http";

const NETWORK = "type.googleapis.com/envoy.extensions.filters.network";

/** A bootstrap with a listener that verifies tokens with a key set. */
function bootstrap(jwks: string): JsonValue {
  const tokens = {
    "@type": `${HTTP}.jwt_authn.v3.JwtAuthentication`,
    providers: { issuer: { localJwks: { inlineString: jwks } } },
    rules: [{ match: { prefix: "/" }, requires: { providerName: "issuer" } }],
  };
  const manager = {
    "@type": `${NETWORK}.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: "keys",
    routeConfig: { name: "none" },
    httpFilters: [
      { name: "envoy.filters.http.jwt_authn", typedConfig: tokens },
      { name: "envoy.filters.http.router", typedConfig: { "@type": `${HTTP}.router.v3.Router` } },
    ],
  };
  const filters = [{ name: "manager", typedConfig: manager }];
  const address = { pipe: { path: "@mesh-validate-keys" } };
  return { staticResources: { listeners: [{ address, filterChains: [{ filters }] }] } };
}

Deno.test("sets of token keys are taken and refused as Envoy takes and refuses them", async () => {
  const keys = await tokenKeys();
  const good = keys.rsa!;
  const sets: [string, unknown][] = [
    ...Object.entries(keys).map(([name, key]): [string, unknown] => [name, { keys: [key] }]),
    ["good after bad", { keys: [{}, null, "key", keys["P-256, off its curve"], good] }],
    ["no list", { keys: good }],
    ["an empty list", { keys: [] }],
  ];
  const wrong: string[] = [];
  let taken = 0;
  const ask = async (): Promise<void> => {
    for (let next = sets.pop(); next !== undefined; next = sets.pop()) {
      const [name, set] = next;
      const jwks = JSON.stringify(set);
      const { accepted, log } = await validateBootstrap(bootstrap(jwks));
      if (accepted) taken++;
      if (accepted !== hasUsableKey(jwks)) wrong.push(`${name}: Envoy says ${accepted}: ${log}`);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, ask));
  assert.deepEqual(wrong, []);
  assert.ok(taken > 10, "Envoy takes good ones");
});
