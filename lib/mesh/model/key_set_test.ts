import assert from "node:assert/strict";
import { discoveryUri, keySetName } from "./mod.ts";

const CASES: readonly [issuer: string, jwks: string, jwksUri: string, name: string | undefined][] =
  [
    ["https://a.test", "{}", "", undefined],
    ["https://a.test", "", "https://b.test/keys", "https://b.test/keys"],
    ["https://a.test", "", "", "openid:https://a.test"],
    ["https://a.test/", "", "", "openid:https://a.test"],
    ["https://a.test/x/", "", "", "openid:https://a.test/x"],
    ["somebody@a.test", "", "", undefined],
    ["a.test", "", "", undefined],
    ["ftp://a.test", "", "", undefined],
    ["https://u:p@a.test", "", "", undefined],
    ["https://a.test/?x=1", "", "", undefined],
  ];

for (const [issuer, jwks, jwksUri, name] of CASES) {
  Deno.test(`name of the keys of ${issuer} ${jwks} ${jwksUri}`, () => {
    assert.equal(keySetName({ issuer, jwks, jwksUri }), name);
  });
}

Deno.test("the address of a discovery document", () => {
  const uri = "https://a.test/x/.well-known/openid-configuration";
  assert.equal(discoveryUri("openid:https://a.test/x"), uri);
  assert.equal(discoveryUri("https://a.test/keys"), undefined);
});
