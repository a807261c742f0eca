/** Tests of cards about credentials, key sets, trust bundles and changes that wait. */
import assert from "node:assert/strict";
import { debugInputs, debugSession } from "../../../tests/support/debug_inputs.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { credentialWarnings } from "./credential_faults.ts";
import type { DebugInputs } from "./mod.ts";
import { countTroubles, troublesOf } from "./troubles.ts";

const CONFIG = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 443, name: https, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: web}}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: far, namespace: other}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 443, name: https, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: web}}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: stranger, namespace: other}
spec:
  selector: {app: stranger}
  servers:
  - {port: {number: 443, name: https, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: web}}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec:
  jwtRules: [{issuer: "https://issuer.test", jwksUri: "https://issuer.test/keys"}]
`;

/** A gateway that asks for a credential of its namespace. */
function gateway(namespace: string, name: string) {
  return debugSession({
    connectionId: `${name}-1`,
    classKey: JSON.stringify({ labels: { app: "edge" } }),
    node: { name, namespace } as never,
    types: [{ short: "sds", names: ["kubernetes://web"], state: "SYNCED" } as never],
  });
}

function inputsOf(over: Partial<DebugInputs>): DebugInputs {
  const objects = objectsOf(CONFIG);
  const { mesh } = startTranslation().translation;
  return debugInputs({ mesh, objects: () => objects, ...over });
}

/** The only trouble, which is counted too. */
function only(inputs: DebugInputs) {
  const [trouble, ...more] = troublesOf(inputs);
  assert.deepEqual(more, []);
  assert.equal(countTroubles(inputs), trouble === undefined ? 0 : 1);
  return trouble;
}

Deno.test("a broken credential is a card with its place, gateways, proxies and the served version", () => {
  const fault = {
    credential: "shop/web",
    place: "secret shop/web",
    problem: "the key is not that of the certificate",
    since: 5,
    lastGoodServes: true,
  };
  const edge = gateway("shop", "edge");
  const inputs = inputsOf({
    sessions: () => [edge, gateway("other", "far")],
    credentialFaults: () => [fault],
  });
  const found = only(inputs);
  assert.equal(found?.tone, "bad");
  assert.match(found.text, /^The credential shop\/web cannot be used; .*last good version/);
  assert.equal(found.message, "secret shop/web: the key is not that of the certificate");
  assert.deepEqual(found.culprits.map(({ object }) => object), [
    "Gateway/shop/edge",
    "Gateway/other/far",
  ]);
  assert.deepEqual(found.proxies, ["edge.shop"]);
  assert.match(credentialWarnings(inputs, edge).join(), /shop\/web cannot be used/);
  assert.deepEqual(credentialWarnings(inputs, gateway("other", "far")), []);
  const first = only(inputsOf({ credentialFaults: () => [{ ...fault, lastGoodServes: false }] }));
  assert.match(first!.text, /refuse connections/);
});

Deno.test("keys and bundles that cannot be fetched are cards, by whether earlier ones serve", () => {
  const error = new MeshError("jwks-fetch", "no answer", { remedy: "Check jwksUri." });
  const fault = { name: "https://issuer.test/keys", error, since: 7, stored: false };
  const none = only(inputsOf({ fetchFaults: () => ({ keySets: [fault], bundles: [] }) }));
  assert.equal(none?.tone, "bad");
  assert.match(none.text, /issuer\.test\/keys cannot be fetched; no token of it is accepted/);
  assert.deepEqual([none.message, none.remedy, none.since], ["no answer", "Check jwksUri.", 7]);
  assert.deepEqual(none.culprits, [{ object: "RequestAuthentication/shop/tokens" }]);
  const kept = only(inputsOf({
    fetchFaults: () => ({ keySets: [], bundles: [{ ...fault, stored: true }] }),
  }));
  assert.equal(kept?.tone, "warn");
  assert.match(kept.text, /^The trust bundle of .*the last one is in use/);
});

Deno.test("a daemon that does not publish what it has seen says so after a minute", () => {
  const at = (now: number, part: "publication" | "proxy") =>
    only(inputsOf({
      now: () => now,
      oldestDifference: () => ({ part, name: "changes", since: 0 }),
    }))?.text;
  assert.equal(at(59_999, "publication"), undefined);
  assert.match(at(60_000, "publication") ?? "", /^This daemon is behind/);
  assert.equal(at(60_000, "proxy"), undefined);
});
