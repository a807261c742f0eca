/** Tokens in explained requests: form, times, audience, signature, and what is not known about them. */
import assert from "node:assert/strict";
import { makeSigner, tokenMesh } from "../../../tests/support/token_mesh.ts";
import { proxyNode, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { hasSigned } from "../../kit/pki/mod.ts";
import type { KeyKnowledge } from "../simulate/mod.ts";
import { explain, parseQuestion, type Party } from "./mod.ts";
import { verdictLine, verdictOf } from "../verdict/mod.ts";

const NOW = 1_700_000_000;
const FRONT = "http://a.example/";

const [own, other] = [await makeSigner(), await makeSigner()];

function meshOf(keys: string): string {
  return tokenMesh(`audiences: [shop], ${keys}`);
}

/** Asks with the content of an authorization header; returns the last line. */
function bench(keys: string, knowledge: KeyKnowledge = { hasSigned }) {
  const { set, translation } = startTranslation();
  set(meshOf(keys));
  const party = (namespace: string, ip: string, app: string): Party => {
    const node = proxyNode(namespace, { name: app, ip, labels: { app } });
    const binding = translation.source.bind(node, () => {});
    return { node, classKey: binding.classKey, view: (type) => binding.view(type) };
  };
  const parties = [party("web", "172.16.0.9", "front"), party("shop", "172.16.0.1", "a")];
  const { mesh } = translation;
  const service = mesh.graph.peek(mesh.services.service, { namespace: "shop", host: "a.example" })!;
  const world = { mesh, parties, services: [service], now: NOW * 1000, keys: knowledge };
  return (fields: { readonly headers?: readonly string[]; readonly claims?: string }): string => {
    const question = parseQuestion({ from: "front.web", url: FRONT, ...fields });
    if (typeof question === "string") return question;
    return verdictLine(verdictOf(explain(world, parties[0]!, question)));
  };
}

const ask = bench(`jwks: '${own.jwks}'`);

Deno.test("tokens: each check of a token, in Envoy's order", async () => {
  const token = await own.sign({ exp: NOW + 100 });
  const [head, body, seal] = token.split(".") as [string, string, string];
  const none = `${btoa('{"alg":"none"}').replace(/=+$/, "")}.${body}.`;
  const cases: readonly (readonly [string, RegExp])[] = [
    [token, /^ALLOWED/],
    [await own.sign({}), /^ALLOWED/],
    [await own.sign({ exp: NOW - 50 }), /^ALLOWED/],
    [await own.sign({ exp: NOW - 70 }), /^DENIED.* 401 .*expired 1m10s ago \(60 s are tolerated\)/],
    [await own.sign({ nbf: NOW + 50 }), /^ALLOWED/],
    [await own.sign({ nbf: NOW + 90 }), /^DENIED.* 401 .*is valid in 1m30s only/],
    [await own.sign({ exp: NOW - 60 }), /^UNKNOWN: .*validity changes within 5 s of now/],
    [await own.sign({ iss: "j" }), /^DENIED.* 401 .*issuer is not accepted/],
    [await own.sign({ aud: "x" }), /^DENIED.* 403 .*audience is not accepted/],
    [await own.sign({ exp: NOW - 70, aud: "x" }), /^DENIED.* 401 .*expired/],
    [await other.sign({ exp: NOW + 100 }), /^DENIED.* 401 .*the one key of i has not signed/],
    [
      await own.sign({ exp: "soon" }),
      /^DENIED.* 401 .*exp has the wrong type/,
    ],
    [`${head}.${body}`, /^DENIED.* 401 .*not of the form HEADER.PAYLOAD.SIGNATURE/],
    [token.slice(0, token.length / 2), /^DENIED.* 401 /],
    [`x.${body}.${seal}`, /^DENIED.* 401 .*header is no JSON object/],
    [`${head}.x.${seal}`, /^DENIED.* 401 .*payload is no JSON object/],
    [`${none}${seal}`, /^DENIED.* 401 .*algorithm "none" is not supported/],
    [`${head}.${body}.${"A".repeat(1 << 20)}`, /^DENIED.*431 .*headers have 10\d{5} bytes/],
  ];
  for (const [text, wanted] of cases) {
    const line = ask({ headers: [`authorization: Bearer ${text}`] });
    assert.match(line, wanted, text.slice(0, 200));
    assert.ok(!line.includes(text));
  }
});

Deno.test("tokens: other credentials, given claims, and two tokens", async () => {
  assert.match(ask({ headers: ["authorization: Basic YTpi"] }), /^ALLOWED/);
  assert.match(ask({ claims: '{"iss": "i", "aud": ["shop"]}' }), /^ALLOWED/);
  assert.match(
    ask({ claims: `{"iss": "i", "aud": "shop", "exp": ${NOW - 99}}` }),
    /^DENIED.*expired/,
  );
  assert.match(ask({ headers: ["authorization: a", "authorization: b"] }), /two headers/);
  // If two places have tokens, both must be valid.
  const good = await own.sign({});
  const bad = await other.sign({});
  const both = bench(`fromHeaders: [{name: x-a}, {name: x-b}], jwks: '${own.jwks}'`);
  assert.match(both({ headers: [`x-a: ${good}`, `x-b: ${good}`] }), /^ALLOWED/);
  assert.match(both({ headers: [`x-a: ${good}`, `x-b: ${bad}`] }), /^DENIED.* 401/);
  assert.match(both({ headers: [`authorization: Bearer ${bad}`] }), /^ALLOWED/);
});

Deno.test("tokens: a key set that nobody fetched is not known, and may be given", async () => {
  const uri = "jwksUri: 'http://keys.example/jwks'";
  const headers = [`authorization: Bearer ${await own.sign({})}`];
  const served = bench(uri);
  assert.match(served({ headers }), /^DENIED.* 401 .*key set of i is not known to the mesh/);
  const files = bench(uri, { hasSigned, fetched: false });
  assert.match(files({ headers }), /^UNKNOWN: .*the daemon fetches the key set.*--jwks FILE/);
  assert.match(
    files({ headers: [`authorization: Bearer ${await own.sign({ exp: 1 })}`] }),
    /^DENIED/,
  );
  assert.match(bench(uri, { hasSigned, fetched: false, text: own.jwks })({ headers }), /^ALLOWED/);
  assert.match(bench(uri, { hasSigned, text: other.jwks })({ headers }), /^DENIED.* 401/);
  assert.match(bench(uri, { hasSigned, text: "{" })({ headers }), /^DENIED.*cannot be read/);
});
