/**
 * Secrets and ConfigMaps that the Gateway API refers to: which proxies are sent them.
 */
import assert from "node:assert/strict";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { configMapKey, type Credential, type ProxyNode } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

/** A gateway whose identity is proved, and whose account may not list secrets. */
const edge = (namespace: string, more: Partial<ProxyNode> = {}): ProxyNode =>
  proxyNode(namespace, {
    role: "router",
    labels: { app: "gw" },
    readsCredentials: false,
    readsReferred: true,
    ...more,
  });

/** Servers that name credentials, for the gateways of all namespaces. */
const SERVERS = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: servers, namespace: front}
spec:
  selector: {app: gw}
  servers:
  - port: {number: 443, name: a, protocol: HTTPS}
    hosts: [a.example]
    tls: {mode: SIMPLE, credentialName: "kubernetes-gateway://front/own"}
  - port: {number: 443, name: b, protocol: HTTPS}
    hosts: [b.example]
    tls: {mode: SIMPLE, credentialName: "kubernetes-gateway://vault/other"}
  - port: {number: 444, name: c, protocol: HTTPS}
    hosts: [c.example]
    tls:
      mode: MUTUAL
      credentialName: "kubernetes-gateway://front/unnamed"
      caCertCredentialName: "configmap://front/clients"
---
`;

function gateway(namespace: string, authorities = "clients"): string {
  return `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: ${namespace}}
spec:
  gatewayClassName: mesh
  tls:
    frontend:
      default:
        validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: ${authorities}}]}
  listeners:
  - name: a
    port: 443
    protocol: HTTPS
    hostname: a.example
    tls: {certificateRefs: [{name: own, namespace: front}]}
  - name: b
    port: 443
    protocol: HTTPS
    hostname: b.example
    tls: {certificateRefs: [{name: other, namespace: vault}]}
---
`;
}

const GRANT = `apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: grant, namespace: vault}
spec:
  from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: front}]
  to: [{group: "", kind: Secret, name: other}]
---
`;

const PAIR: Credential = { certificate: "chain", privateKey: "key" };
const OWN = "kubernetes-gateway://front/own";
const OTHER = "kubernetes-gateway://vault/other";
const CLIENTS = "configmap://front/clients";

function start() {
  const bench = startTranslation();
  bench.apply({
    credentials: new Map([
      ["front/own", PAIR],
      ["front/unnamed", PAIR],
      ["vault/other", PAIR],
      [configMapKey({ namespace: "front", name: "clients" }), { authorities: "ca" }],
    ]),
  });
  bench.set(SERVERS);
  const names = (node: ProxyNode): string[] => {
    const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.secret)!;
    return [...view.entries()].map(({ name }) => name).sort();
  };
  return { bench, names };
}

Deno.test("a secret is sent to gateways of the namespace whose Gateway refers to it", () => {
  const { bench, names } = start();
  assert.deepEqual(names(edge("front")), []);
  bench.set(gateway("front"));
  assert.deepEqual(names(edge("front")), [CLIENTS, OWN]);
  assert.deepEqual(names(edge("vault")), []);
  bench.remove("KubernetesGateway", "front/gw");
  assert.deepEqual(names(edge("front")), []);
});

Deno.test("a secret of another namespace is sent while a ReferenceGrant allows the reference", () => {
  const { bench, names } = start();
  bench.set(gateway("front"));
  const binding = bench.translation.source.bind(edge("front"), () => {});
  const held = () => binding.view(TYPE_URLS.secret)!.get(OTHER) !== undefined;
  assert.equal(held(), false);
  bench.set(GRANT);
  assert.equal(held(), true);
  bench.set(GRANT.replace("name: other", "name: another"));
  assert.equal(held(), false);
  bench.set(GRANT);
  bench.remove("ReferenceGrant", "vault/grant");
  assert.equal(held(), false);
  // The grant is for Gateways of another namespace, and so is what they refer to.
  bench.set(GRANT + gateway("third"));
  assert.deepEqual(names(edge("third")), []);
  assert.deepEqual(names(edge("vault")), []);
});

Deno.test("only proxies whose namespace is proved are sent what Gateways refer to", () => {
  const { bench, names } = start();
  bench.set(gateway("front"));
  assert.deepEqual(names(edge("front", { readsReferred: false })), []);
  assert.deepEqual(names(proxyNode("front", { labels: { app: "gw" }, readsReferred: true })), []);
  const labels = { app: "others" };
  assert.deepEqual(names(edge("front", { metadata: { LABELS: labels } })), []);
});

Deno.test("a renewed secret is sent again, and a faulty one leaves the last good one", () => {
  const { bench } = start();
  bench.set(gateway("front"));
  const binding = bench.translation.source.bind(edge("front"), () => {});
  const chain = () => {
    const { bytes } = binding.view(TYPE_URLS.secret)!.get(OWN)!;
    const { type } = fromBinary(SecretSchema, bytes);
    assert.equal(type.case, "tlsCertificate");
    return type.value.certificateChain?.specifier.value;
  };
  assert.equal(chain(), "chain");
  bench.apply({ credentials: new Map([["front/own", { ...PAIR, certificate: "new" }]]) });
  assert.equal(chain(), "new");
  bench.apply({
    credentials: new Map([["front/own", { ...PAIR, certificate: "new", fault: "no key" }]]),
  });
  assert.equal(chain(), "new");
  bench.apply({ credentials: new Map([["front/own", { fault: "no key" }]]) });
  assert.equal(binding.view(TYPE_URLS.secret)!.get(OWN), undefined);
});

Deno.test("authorities that BackendTLSPolicies refer to are sent to all gateways", () => {
  const { bench, names } = start();
  const rule = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: r, namespace: shop}
spec:
  host: a.shop.svc.cluster.local
  trafficPolicy: {tls: {mode: SIMPLE, credentialName: "configmap://shop/roots"}}
---
`;
  const policy = `apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: p, namespace: shop}
spec:
  targetRefs: [{group: "", kind: Service, name: a}]
  validation: {hostname: a.example, caCertificateRefs: [{group: "", kind: ConfigMap, name: roots}]}
---
`;
  bench.set(rule);
  const key = configMapKey({ namespace: "shop", name: "roots" });
  bench.apply({ credentials: new Map([[key, { authorities: "roots" }]]) });
  assert.deepEqual(names(edge("front")), []);
  bench.set(policy);
  assert.deepEqual(names(edge("front")), [key]);
  bench.apply({ credentials: new Map([[key, { fault: "there is no ca.crt" }]]) });
  assert.deepEqual(names(edge("front")), []);
});
