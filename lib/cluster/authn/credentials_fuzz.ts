/**
 * Fuzz target: tokens and forwarded certificates. Reading rejects with an `AuthnError`, or gives an
 * identity that the seeds have: no change of a signed token gives another one.
 *
 * @module
 */
import assert from "node:assert/strict";
import { spiffeText } from "../../kit/pki/mod.ts";
import { AuthnError } from "./error.ts";
import { forwardedAuthenticator } from "./forwarded.ts";
import { jwtVerifier } from "./jwt.ts";
import { bearerOf } from "./token.ts";

/** The public key of the seeds; its private key was not kept. */
const KEY = {
  "kty": "EC",
  "crv": "P-256",
  "x": "7sh4pOKJj3WDjQ_joMQMG7xMwR1sJESN8aKqcekiSjA",
  "y": "2Q6-yASDg5qBR7dgFMBe2pRTjE_Jb0G2NdABKSkoM2Q",
  "kid": "1",
  "alg": "ES256",
};

const verify = jwtVerifier({
  rule: {
    issuer: "https://issuer.test",
    jwksUri: "https://issuer.test/keys",
    audiences: ["mesh-ca"],
  },
  trustDomain: "cluster.local",
  clock: () => Date.UTC(2026, 0),
  fetch: () => Promise.resolve(Response.json({ keys: [KEY] })),
});
const forwarded = forwardedAuthenticator(["10.0.0.0/8"]);

/** Reads an input as a token, as a header of one, and as a forwarded certificate. */
export async function fuzz(input: Uint8Array): Promise<void> {
  const text = new TextDecoder("latin1").decode(input);
  const bearer = bearerOf(text);
  assert.ok(bearer === undefined || !/[\s,]/.test(bearer));
  const token = await accepted(() => verify(text, undefined));
  if (token) assert.equal(spiffeText(token), "spiffe://cluster.local/ns/shop/sa/cart");
  const metadata = new Map([["x-forwarded-client-cert", text]]);
  const caller = await accepted(() => forwarded({ peer: "10.0.0.1:1", metadata }));
  if (caller) assert.equal(caller.identities.length, 1);
}

/** The result; `undefined` for an `AuthnError`. */
async function accepted<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    assert.ok(error instanceof AuthnError, String(error));
    return undefined;
  }
}
