import assert from "node:assert/strict";
import { manifest, type Spec } from "../../../../tests/support/manifest.ts";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { unknownKeys } from "./unknown_keys.ts";

const KEYS = JSON.stringify({ keys: [{ kty: "oct", k: "c2VjcmV0LXNlY3JldA" }] });

function fetchedOf(bench: ReturnType<typeof startTranslation>): readonly string[] {
  const watch = bench.translation.wantedKeySets(() => {});
  watch.close();
  return watch.value;
}

const CASES: readonly [name: string, rule: Spec, reason: RegExp | undefined][] = [
  ["keys in the rule", { issuer: "a", jwks: KEYS }, undefined],
  ["an issuer that is no address", { issuer: "a" }, /its issuer is not an address/],
  [
    "an issuer whose keys were not found",
    { issuer: "https://a.test/" },
    /no usable keys were found by https:\/\/a\.test\/\.well-known\/openid-configuration yet/,
  ],
  [
    "an address that did not answer",
    { issuer: "a", jwksUri: "https://b.test/keys" },
    /no usable keys were fetched from https:\/\/b\.test\/keys yet/,
  ],
  ["an issuer whose keys were found", { issuer: "https://known.test" }, undefined],
];

for (const [name, rule, reason] of CASES) {
  Deno.test(`rules for tokens without keys: ${name}`, () => {
    const bench = startTranslation();
    const text = manifest("RequestAuthentication", "r", { jwtRules: [rule] });
    bench.set(text.replace("networking.mesh.io", "security.mesh.io"));
    bench.apply({ keySets: new Map([["openid:https://known.test", { jwks: KEYS }]]) });
    const found = unknownKeys(bench.translation.mesh, fetchedOf(bench));
    if (reason === undefined) return assert.deepEqual(found, []);
    assert.equal(found.length, 1);
    assert.equal(found[0]!.object, "RequestAuthentication/test/r");
    assert.equal(found[0]!.field, "spec.jwtRules[0]");
    assert.match(found[0]!.message, reason);
  });
}
