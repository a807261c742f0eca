import assert from "node:assert/strict";
import { tokenKeys } from "../../../../tests/support/token_keys.ts";
import { hasUsableKey } from "./keys.ts";

Deno.test("keys: on their curves and of sizes that can be worked with, or useless", async () => {
  const keys = await tokenKeys();
  const usable = Object.keys(keys).filter((name) =>
    hasUsableKey(JSON.stringify({ keys: [keys[name]] }))
  );
  assert.deepEqual(usable, [
    "rsa",
    "rsa, exponent 3",
    "rsa, exponent with zeros",
    "rsa, padded",
    "rsa, 512 bits",
    "rsa, 16384 bits",
    "rsa, for PS512",
    "rsa, algorithm of another type",
    "P-256",
    "P-384",
    "P-521",
    "P-256, with zeros",
    "P-256, without a name",
    "P-384, by its algorithm",
    "ed25519",
    "secret",
    "secret, for HS256",
  ]);
});

Deno.test("keys: one good key is enough, a set without is none", async () => {
  const { rsa, "P-256, off its curve": off } = await tokenKeys();
  const cases: readonly (readonly [unknown, boolean])[] = [
    [{ keys: [{}, null, "key", off, rsa] }, true],
    [{ keys: [off] }, false],
    [{ keys: [] }, false],
    [{ keys: rsa }, false],
    [{}, false],
    [null, false],
  ];
  for (const [set, good] of cases) assert.equal(hasUsableKey(JSON.stringify(set)), good);
  assert.equal(hasUsableKey("not JSON"), false);
});
