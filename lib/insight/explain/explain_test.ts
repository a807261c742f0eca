/** Explained requests between two sidecars: outcome, deciding clause, nearest rule, objects. */
import assert from "node:assert/strict";
import { proxyNode, startTranslation } from "../../../tests/support/translation_fixture.ts";
import type { Service } from "../../mesh/model/mod.ts";
import { explain, parseQuestion, type Party } from "./mod.ts";
import { type Explanation, renderExplanation } from "../verdict/mod.ts";

const CONFIG = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.1.0.1]
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 81, name: gone, protocol: HTTP}]
  workloadSelector: {labels: {app: a}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: a1, namespace: shop}
spec: {address: 172.16.0.1, labels: {app: a}, serviceAccount: a}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec:
  hosts: [a.example]
  http:
  - match: [{uri: {prefix: /old}}]
    redirect: {uri: /new}
  - route: [{destination: {host: a.example, port: {number: 80}}}]
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: issuer.test, audiences: [shop], jwks: '{"keys":[]}'}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: readers, namespace: shop}
spec:
  rules:
  - from: [{source: {namespaces: [web]}}]
    to: [{operation: {methods: [GET], paths: [/items/*]}}]
  - from: [{source: {namespaces: [admin]}}]
    to: [{operation: {methods: [DELETE], paths: [/other]}}]
`;

const FILES = Object.fromEntries(
  ["SERVER", "CLIENT"].flatMap((side) =>
    [["CERT_CHAIN", "cert"], ["KEY", "key"], ["ROOT_CERT", "ca"]].map((
      [name, file],
    ) => [`TLS_${side}_${name}`, `/${file}`])
  ),
);

function bench() {
  const { set, translation } = startTranslation();
  set(CONFIG);
  const party = (namespace: string, ip: string, app: string): Party => {
    const node = proxyNode(namespace, {
      name: app,
      ip,
      labels: { app },
      metadata: { ...FILES, SERVICE_ACCOUNT: app },
    });
    const binding = translation.source.bind(node, () => {});
    return { node, classKey: binding.classKey, view: (type) => binding.view(type) };
  };
  const parties = [party("web", "172.16.0.9", "front"), party("shop", "172.16.0.1", "a")];
  const { mesh } = translation;
  const key = { namespace: "shop", host: "a.example" };
  const services = [mesh.graph.peek(mesh.services.service, key)] as Service[];
  return (url: string, method = "GET", headers: readonly string[] = []): Explanation => {
    const question = parseQuestion({ from: "front.web", url, method, headers });
    assert.ok(typeof question !== "string", `${question}`);
    return explain({ mesh, parties, services }, parties[0]!, question);
  };
}

const ask = bench();

Deno.test("explain: a request that is allowed, with the object behind each step", () => {
  const { hops, outcomes } = ask("http://a.example/items/7");
  assert.deepEqual(hops.map(({ proxy, direction }) => [proxy, direction]), [
    ["front.web", "outbound"],
    ["a.shop", "inbound"],
  ]);
  const [out, into] = hops;
  const route = out?.steps.find(({ step }) => step === "route");
  assert.deepEqual(route?.causes.map(({ object, field }) => [object, field]).slice(0, 1), [
    ["VirtualService/shop/a", "spec.http[1]"],
  ]);
  const tls = into?.steps.find(({ step }) => step === "mutual TLS");
  assert.match(tls?.why ?? "", /spiffe:\/\/cluster\.local\/ns\/web\/sa\/front/);
  assert.ok(tls?.causes.some(({ object }) => object === "PeerAuthentication/shop/strict"));
  const access = into?.steps.find(({ step }) => step === "access");
  assert.deepEqual(access?.causes.map(({ object, field }) => [object, field]), [
    ["AuthorizationPolicy/shop/readers", "spec.rules[0]"],
  ]);
  assert.deepEqual(
    access?.access?.decided?.clauses.map(({ property, actual }) => [property, actual]),
    [
      ["method", "GET"],
      ["path", "/items/7"],
      ["principal", "spiffe://cluster.local/ns/web/sa/front"],
    ],
  );
  assert.deepEqual(outcomes.map(({ kind, proxy, share }) => [kind, proxy, share]), [
    ["reached", "a.shop", 1],
  ]);
});

Deno.test("explain: a workload reaches its own address past its proxy", () => {
  const { hops, outcomes } = ask("http://172.16.0.9:8080/");
  assert.deepEqual(hops, []);
  const text = "HTTP to 172.16.0.9:8080, its own address, past its proxy";
  assert.deepEqual(outcomes.map((one) => [one.kind, one.text]), [["reached", text]]);
});

Deno.test("explain: a refusal names the nearest rule and the clause that fails", () => {
  const explanation = ask("http://a.example/items/7", "POST");
  const [outcome] = explanation.outcomes;
  assert.deepEqual([outcome?.kind, outcome?.status, outcome?.proxy], ["refused", 403, "a.shop"]);
  const access = explanation.hops[1]?.steps.at(-1);
  assert.equal(access?.step, "access");
  assert.match(access?.access?.nearest?.policy ?? "", /policy\[readers\]-rule\[0\]$/);
  assert.deepEqual(access?.access?.nearest?.clauses, [
    { property: "method", wanted: "GET", actual: "POST", holds: false },
  ]);
  const text = renderExplanation(explanation);
  assert.match(text, /nearest rule: AuthorizationPolicy\/shop\/readers spec\.rules\[0\]/);
  assert.match(text, /it fails because method is POST; wanted: GET/);
  assert.match(text, /^=> refused by a\.shop: 403 from rbac/m);
});

Deno.test("explain: tokens are compared with each issuer, and are not shown", () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ iss: "other.test", secret: "claim-7" }));
  const head = new TextEncoder().encode('{"alg":"RS256"}').toBase64({ alphabet: "base64url" });
  const token = `${head}.${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}.c2ln`;
  const explanation = ask("http://a.example/items/7", "GET", [`Authorization: Bearer ${token}`]);
  const tokens = explanation.hops[1]?.steps.find(({ step }) => step === "tokens");
  assert.deepEqual(tokens?.token?.issuers, [{
    provider: "origins-0",
    issuer: "issuer.test",
    audiences: ["shop"],
    fault: "issuer",
    actual: "other.test",
  }]);
  assert.deepEqual(tokens?.causes.map(({ object }) => object), [
    "RequestAuthentication/shop/tokens",
  ]);
  assert.equal(explanation.outcomes[0]?.status, 401);
  for (const secret of [token, "claim-7"]) {
    assert.ok(!JSON.stringify(explanation).includes(secret));
    assert.ok(!renderExplanation(explanation).includes(secret));
  }
});

Deno.test("explain: redirects, unknown hosts and questions with mistakes", () => {
  const [redirect] = ask("http://a.example/old").outcomes;
  assert.deepEqual([redirect?.kind, redirect?.status], ["answered", 301]);
  const { assumptions } = ask("http://a.exampel/");
  assert.ok(assumptions.some((one) => one.includes("did you mean a.example?")), `${assumptions}`);
  const mistakes: readonly (readonly [Partial<Parameters<typeof parseQuestion>[0]>, RegExp])[] = [
    [{ url: "a.example/x" }, /is no URL/],
    [{ url: "ftp://a.example/" }, /scheme ftp/],
    [{ url: "tcp://a.example" }, /no port/],
    [{ method: "GE T" }, /is no HTTP method/],
    [{ headers: ["nothing"] }, /NAME: VALUE/],
    [{ headers: ["authorization: a", "authorization: b"] }, /two headers authorization/],
    [{ claims: "[]" }, /no JSON object/],
    [{ claims: "{}", headers: ["authorization: a"] }, /two credentials/],
  ];
  for (const [fields, wanted] of mistakes) {
    const error = parseQuestion({ from: "front.web", url: "http://a.example/", ...fields });
    assert.match(`${error}`, wanted);
  }
});
