import assert from "node:assert/strict";
import { create } from "../../kit/proto/mod.ts";
import { testMeshConfig } from "../../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { disabledWarnings } from "./disabled.ts";

const TRUSTING = create(MeshConfigSchema, {
  rootNamespace: "mesh-system",
  caCertificates: [{ certificateData: { case: "pem", value: "" } }],
});

const SIDECAR = `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: own, namespace: one}
spec:
  ingress:
  - {port: {number: 80, name: http, protocol: HTTP}, defaultEndpoint: "127.0.0.1:8080"}
  - port: {number: 443, name: https, protocol: HTTPS}
    defaultEndpoint: 127.0.0.1:8080
    tls: {mode: SIMPLE, serverCertificate: /cert.pem, privateKey: /key.pem}
`;

const EXPERIMENTAL = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: one}
spec:
  gatewayClassName: mesh
  defaultScope: All
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: one}
spec:
  useDefaultGateways: All
  rules:
  - timeouts: {request: 1s}
  - {retry: {attempts: 1}, sessionPersistence: {}}
`;

interface Switches {
  readonly multiRoot: boolean;
  readonly tlsOnIngress: boolean;
  readonly experimentalGatewayApi?: boolean;
}

const OFF: Switches = { multiRoot: false, tlsOnIngress: false };

const CASES: readonly [name: string, MeshConfig, string, Switches, paths: string[]][] = [
  ["authorities that nobody is told", TRUSTING, "", OFF, ["caCertificates"]],
  ["authorities that agents are told", TRUSTING, "", { ...OFF, multiRoot: true }, []],
  ["TLS that does not end", testMeshConfig(), SIDECAR, OFF, ["spec.ingress[1].tls"]],
  ["TLS that ends", testMeshConfig(), SIDECAR, { ...OFF, tlsOnIngress: true }, []],
  ["nothing", testMeshConfig(), "", OFF, []],
  ["experimental fields", testMeshConfig(), EXPERIMENTAL, OFF, [
    "spec.defaultScope",
    "spec.rules[1].retry",
    "spec.rules[1].sessionPersistence",
    "spec.useDefaultGateways",
  ]],
  [
    "experimental fields that act",
    testMeshConfig(),
    EXPERIMENTAL,
    { ...OFF, experimentalGatewayApi: true },
    [],
  ],
];

for (const [name, config, documents, switches, paths] of CASES) {
  Deno.test(`settings that a variable switches off: ${name}`, () => {
    const bench = startTranslation(config);
    if (documents !== "") bench.set(documents);
    const warnings = disabledWarnings(bench.translation, switches);
    assert.deepEqual(warnings.map(({ path }) => path), paths);
  });
}
