/** Signatures of tokens of each algorithm, and keys and texts that are not theirs. */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { hasSigned } from "./mod.ts";

function partsOf(token: string): { signed: string; signature: Uint8Array } {
  const dot = token.lastIndexOf(".");
  const signature = Uint8Array.fromBase64(token.slice(dot + 1), { alphabet: "base64url" });
  return { signed: token.slice(0, dot), signature };
}

const ALGORITHMS = ["RS256", "RS384", "PS256", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

for (const algorithm of ALGORITHMS) {
  Deno.test(`token signature: ${algorithm} by its key, and by no other key or text`, async () => {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const other = await generateKeyPair(algorithm, { extractable: true });
    const key = { ...await exportJWK(pair.publicKey) };
    const token = await new SignJWT({ sub: "a" }).setProtectedHeader({ alg: algorithm })
      .sign(pair.privateKey);
    const parts = partsOf(token);
    assert.equal(hasSigned({ algorithm, key, ...parts }), true);
    assert.equal(hasSigned({ algorithm, key, ...parts, signed: `${parts.signed}x` }), false);
    const wrong = { ...await exportJWK(other.publicKey) };
    assert.equal(hasSigned({ algorithm, key: wrong, ...parts }), false);
    assert.equal(hasSigned({ algorithm, key: { kty: key.kty }, ...parts }), false);
    assert.equal(hasSigned({ algorithm: "none", key, ...parts }), false);
    assert.equal(hasSigned({ algorithm, key, ...parts, signature: new Uint8Array(3) }), false);
  });
}

Deno.test("token signature: a shared secret, and no public key in its place", async () => {
  const secret = new TextEncoder().encode("a secret of sufficient length 123");
  const token = await new SignJWT({}).setProtectedHeader({ alg: "HS256" }).sign(secret);
  const key = { kty: "oct", k: secret.toBase64({ alphabet: "base64url", omitPadding: true }) };
  assert.equal(hasSigned({ algorithm: "HS256", key, ...partsOf(token) }), true);
  assert.equal(
    hasSigned({ algorithm: "HS256", key: { ...key, k: "AA" }, ...partsOf(token) }),
    false,
  );
  assert.equal(hasSigned({ algorithm: "HS256", key: { kty: "RSA" }, ...partsOf(token) }), false);
});
