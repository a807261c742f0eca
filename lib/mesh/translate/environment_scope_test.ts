/**
 * Variables of scopes and policies: each changes what a proxy is served.
 */
import assert from "node:assert/strict";
import { documents, manifest } from "../../../tests/support/manifest.ts";
import {
  everything,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";

const security = (kind: string, spec: Readonly<Record<string, unknown>>, namespace: string) =>
  manifest(kind, "p", spec, namespace).replace("networking.mesh.io", "security.mesh.io");

/** A Gateway of another namespace, one of the proxy's, policies, and a service beside the sidecar. */
const CONFIG = documents(
  ...["one", "other"].map((namespace, i) =>
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{ port: { number: 80 + i, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    }, namespace)
  ),
  security("AuthorizationPolicy", { selector: { matchLabels: { app: "edge" } } }, "one"),
  security("PeerAuthentication", { mtls: { mode: "STRICT" } }, "one"),
  manifest("ServiceEntry", "own", {
    hosts: ["own.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, protocol: "HTTP", name: "main" }],
    endpoints: [{ address: "10.0.0.1" }],
  }, "one"),
);

const GATEWAY = proxyNode("one", {
  role: "router",
  labels: { "app": "edge", "gateway.networking.k8s.io/gateway-name": "edge" },
});

const SIDECAR = proxyNode("one", {
  ip: "10.0.0.1",
  metadata: {
    TLS_SERVER_CERT_CHAIN: "/cert.pem",
    TLS_SERVER_KEY: "/key.pem",
    TLS_SERVER_ROOT_CERT: "/ca.pem",
  },
});

function served(node: typeof GATEWAY, env: Readonly<Record<string, string>>): string {
  const bench = startTranslation(undefined, featuresWith(env));
  bench.set(CONFIG);
  return JSON.stringify(everything(bench.translation.source.bind(node, () => {})));
}

const CASES = [
  ["PILOT_SCOPE_GATEWAY_TO_NAMESPACE", GATEWAY],
  ["ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY", GATEWAY],
  ["PILOT_SKIP_VALIDATE_TRUST_DOMAIN", SIDECAR],
] as const;

for (const [name, node] of CASES) {
  Deno.test(`${name} changes what a proxy is served`, () => {
    const [on, off] = ["true", "false"].map((value) => served(node, { [name]: value }));
    assert.notEqual(on, off);
    assert.ok([on, off].includes(served(node, {})), "the default is neither");
  });
}

Deno.test("PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API decides if Gateways with a network are its gateways", () => {
  const networks = (value: string) => {
    const features = featuresWith({ PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API: value });
    const { translation: { mesh }, graph, set } = startTranslation(undefined, features);
    set(`apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: far, namespace: one, labels: {topology.mesh.io/network: far}}
spec:
  gatewayClassName: mesh-remote
  addresses: [{value: 9.9.9.9}]
  listeners: [{name: cross, port: 15443, protocol: TLS, tls: {mode: Passthrough}}]
`);
    return [...graph.peek(mesh.networks.all, "").gateways.keys()];
  };
  assert.deepEqual(networks("true"), ["far"]);
  assert.deepEqual(networks("false"), []);
});
