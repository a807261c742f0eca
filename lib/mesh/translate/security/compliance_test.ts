/**
 * TLS contexts of proxies under `COMPLIANCE_POLICY`, of every kind, whatever other settings say.
 */
import assert from "node:assert/strict";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { AnySchema, create, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const DOCUMENTS = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: own, namespace: one}
spec:
  hosts: [own.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 172.16.0.1, serviceAccount: own, labels: {security.mesh.io/tlsMode: mesh}}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: partner, namespace: one}
spec:
  hosts: [partner.example]
  resolution: STATIC
  ports: [{number: 443, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.2}]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: partner, namespace: one}
spec: {host: partner.example, trafficPolicy: {tls: {mode: SIMPLE, caCertificates: /ca.pem}}}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: one}
spec:
  selector: {app: gw}
  servers:
  - port: {number: 443, name: https, protocol: HTTPS}
    hosts: [out.example]
    tls:
      mode: SIMPLE
      serverCertificate: /cert.pem
      privateKey: /key.pem
      minProtocolVersion: TLSV1_3
      cipherSuites: [ECDHE-RSA-CHACHA20-POLY1305]
---
apiVersion: extensions.mesh.io/v1alpha1
kind: WasmPlugin
metadata: {name: module, namespace: one}
spec: {url: "https://modules.example/a.wasm", sha256: ${"ab".repeat(32)}}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: one}
spec: {mtls: {mode: STRICT}}
`;

const MESH = `
meshMTLS: {minProtocolVersion: TLSV1_3, ecdhCurves: [X25519]}
tlsDefaults: {minProtocolVersion: TLSV1_3, ecdhCurves: [X25519]}
`;

/** The contexts of TLS in all resources of a sidecar and of a gateway, each with its resource. */
function contextsWith(env: Readonly<Record<string, string>>): [string, unknown][] {
  const bench = startTranslation(parseMeshConfig(MESH, "mesh").value, featuresWith(env));
  bench.set(DOCUMENTS);
  const metadata = { AGENT_CERTIFICATES: "true" };
  const found: [string, unknown][] = [];
  for (const role of ["sidecar", "router"] as const) {
    const labels = { app: role === "router" ? "gw" : "own" };
    const node = proxyNode("one", { role, labels, metadata });
    const binding = bench.translation.source.bind(node, () => {});
    for (const typeUrl of Object.values(TYPE_URLS)) {
      for (const { name, bytes } of binding.view(typeUrl)?.entries() ?? []) {
        const any = create(AnySchema, { typeUrl, value: bytes });
        const json = toJson(AnySchema, any, { registry: SERVED_TYPES });
        JSON.stringify(json, (key, value) => {
          if (key === "commonTlsContext") found.push([`${role} ${name}`, value.tlsParams]);
          return value;
        });
      }
    }
  }
  return found;
}

const ALLOWED = {
  tlsMinimumProtocolVersion: "TLSv1_2",
  cipherSuites: [
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
  ],
  ecdhCurves: ["P-256"],
};

Deno.test("under fips-140-2 every TLS context of proxies is limited, whatever other settings say", () => {
  const free = contextsWith({});
  assert.ok(free.some(([, params]) => JSON.stringify(params).includes("X25519")));
  const limited = contextsWith({ COMPLIANCE_POLICY: "fips-140-2" });
  const names = new Set(limited.map(([name]) => name));
  const fetching = (name: string) => name.includes("module-fetch|");
  assert.ok([...names].some(fetching), "a plugin's module is fetched over TLS");
  assert.deepEqual(
    limited.map(([name]) => name).filter((name) => !fetching(name)),
    free.map(([name]) => name),
  );
  for (
    const name of ["sidecar outbound|80||own.example", "sidecar outbound|443||partner.example"]
  ) assert.ok(names.has(name), [...names].join("\n"));
  assert.ok(
    [...names].some((name) => name.startsWith("sidecar virtualInbound")),
    [...names].join(),
  );
  assert.ok([...names].some((name) => /^router .*443/.test(name)), [...names].join());
  for (const [name, params] of limited) {
    const { tlsMaximumProtocolVersion: max = "TLS_AUTO", ...rest } = params as Record<
      string,
      unknown
    >;
    assert.deepEqual(rest, ALLOWED, name);
    // A client without a maximum uses TLS 1.2 at most.
    const isServer = !name.includes("outbound|") && !fetching(name);
    if (isServer) assert.equal(max, "TLSv1_2", name);
  }
});
