import assert from "node:assert/strict";
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { AuthnError, jwtVerifier, readJwtRule } from "./mod.ts";

const SUBJECT = "system:serviceaccount:shop:cart";
const ALG = "RS256";

/** An issuer of tokens on this machine, with its key set and OpenID configuration. */
async function withIssuer(run: (issuer: Issuer) => Promise<void>): Promise<void> {
  const keys = await generateKeyPair(ALG, { extractable: true });
  const state = { isUp: true, fetches: 0, jwks: {} as unknown };
  state.jwks = { keys: [{ ...await exportJWK(keys.publicKey), kid: "a", alg: ALG }] };
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  }, (request) => {
    state.fetches++;
    if (!state.isUp) return new Response(null, { status: 503 });
    const { pathname } = new URL(request.url);
    if (pathname === "/keys") return Response.json(state.jwks);
    if (pathname === "/moved") return Response.redirect(`${url}/keys`);
    if (pathname === "/large") return new Response(new Uint8Array(2 * 1024 * 1024));
    if (pathname === "/.well-known/openid-configuration") {
      return Response.json({ issuer: url, jwks_uri: `${url}/keys` });
    }
    return new Response(null, { status: 404 });
  });
  const url: string = `http://127.0.0.1:${server.addr.port}`;
  try {
    await run({ url, keys, state });
  } finally {
    await server.shutdown();
  }
}

interface Issuer {
  readonly url: string;
  readonly keys: GenerateKeyPairResult;
  readonly state: { isUp: boolean; fetches: number; jwks: unknown };
}

/** Claims that are accepted. */
function claims(url: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { iss: url, aud: ["mesh-ca"], sub: SUBJECT, iat: now, nbf: now - 5, exp: now + 600 };
}

async function signed({ url, keys }: Issuer, more: JWTPayload = {}, kid = "a"): Promise<string> {
  return await new SignJWT({ ...claims(url), ...more })
    .setProtectedHeader({ alg: ALG, kid }).sign(keys.privateKey);
}

function verifier({ url }: Issuer, path = "/keys", cacheMs?: number) {
  return jwtVerifier({
    rule: { issuer: url, audiences: ["mesh-ca", "other"], jwksUri: path && `${url}${path}` },
    trustDomain: "cluster.local",
    clock: () => Date.now(),
    cacheMs,
  });
}

Deno.test("a token of the issuer gives the identity of its service account; keys are fetched once", () =>
  withIssuer(async (issuer) => {
    const verify = verifier(issuer);
    const id = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "cart" };
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await verify(await signed(issuer), undefined), id);
    }
    assert.equal(issuer.state.fetches, 1);
  }));

Deno.test("keys are found from the issuer's OpenID configuration", () =>
  withIssuer(async (issuer) => {
    const rule = readJwtRule(JSON.stringify({ issuer: issuer.url }));
    const verify = jwtVerifier({ rule, trustDomain: "a", clock: () => Date.now() });
    assert.equal((await verify(await signed(issuer), undefined)).namespace, "shop");
  }));

Deno.test("tokens that must not be accepted are not", () =>
  withIssuer(async (issuer) => {
    const verify = verifier(issuer);
    const now = Math.floor(Date.now() / 1000);
    const foreign = await generateKeyPair(ALG);
    const spki = new TextEncoder().encode(await exportSPKI(issuer.keys.publicKey));
    const good = await signed(issuer);
    const [head, body, signature] = good.split(".") as [string, string, string];
    const cases: Record<string, string> = {
      expired: await signed(issuer, { exp: now - 60 }),
      "without an end": await signed(issuer, { exp: undefined }),
      "not yet valid": await signed(issuer, { nbf: now + 60 }),
      "for another audience": await signed(issuer, { aud: "elsewhere" }),
      "without an audience": await signed(issuer, { aud: undefined }),
      "of another issuer": await signed(issuer, { iss: "http://elsewhere" }),
      "alg none": new UnsecuredJWT(claims(issuer.url)).encode(),
      "HMAC with the public key": await new SignJWT(claims(issuer.url))
        .setProtectedHeader({ alg: "HS256", kid: "a" }).sign(spki),
      "signed with another key": await new SignJWT(claims(issuer.url))
        .setProtectedHeader({ alg: ALG, kid: "a" }).sign(foreign.privateKey),
      "of an unknown key": await signed(issuer, {}, "b"),
      "another body": [head, btoa(JSON.stringify({ ...claims(issuer.url), sub: "x" })), signature]
        .join("."),
      "without a signature": `${head}.${body}.`,
      oversized: await signed(issuer, { more: "x".repeat(20_000) }),
      "no token": "hello",
      empty: "",
      "not of a service account": await signed(issuer, { sub: "user:root" }),
      "with a path in its subject": await signed(issuer, {
        sub: "system:serviceaccount:a/b:c",
      }),
    };
    for (const [name, token] of Object.entries(cases)) {
      const error = await verify(token, undefined).then(() => assert.fail(name), (e) => e);
      assert.ok(error instanceof AuthnError, `${name}: ${error}`);
      const secret = token.split(".").at(-1)!;
      assert.ok(secret.length < 20 || !error.message.includes(secret), name);
    }
    await verify(good, undefined);
  }));

Deno.test("while the keys cannot be fetched no token is accepted, also not by keys of before", () =>
  withIssuer(async (issuer) => {
    // Keys are never fresh, so that each token needs a fetch.
    const verify = verifier(issuer, "/keys", 0);
    const token = await signed(issuer);
    await verify(token, undefined);
    issuer.state.isUp = false;
    await assert.rejects(verify(token, undefined), AuthnError);
    issuer.state.isUp = true;
    await verify(token, undefined);
  }));

Deno.test("key sets behind redirects and too large ones are refused", () =>
  withIssuer(async (issuer) => {
    const token = await signed(issuer);
    for (const path of ["/moved", "/large", "/none"]) {
      await assert.rejects(verifier(issuer, path)(token, undefined), AuthnError, path);
    }
  }));

Deno.test("JWT_RULE is checked when it is read", () => {
  assert.deepEqual(readJwtRule('{"issuer":"a","jwksUri":"https://k","audiences":["x"]}'), {
    issuer: "a",
    jwksUri: "https://k",
    audiences: ["x"],
  });
  assert.equal(readJwtRule('{"issuer":"a","jwks_uri":"https://k"}').jwksUri, "https://k");
  const bad = [
    "",
    "[",
    "null",
    "{}",
    '{"issuer":"a"}',
    '{"issuer":"a","jwksUri":"file:///etc/passwd"}',
    '{"issuer":"https://a","audiences":"x"}',
  ];
  for (const text of bad) assert.throws(() => readJwtRule(text), { code: "jwt-rule" }, text);
});
