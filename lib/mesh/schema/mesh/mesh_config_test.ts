import assert from "node:assert/strict";
import { durationMs, toJson } from "../../../kit/proto/mod.ts";
import {
  MeshConfig_OutboundTrafficPolicy_Mode as Mode,
  MeshConfigSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  controlPlaneOf,
  defaultMeshConfig,
  defaultMeshNetworks,
  directoryOf,
  parseMeshConfig,
  parseMeshNetworks,
  parseProxyConfig,
} from "../mod.ts";

Deno.test("mesh config: an empty document gives the defaults", () => {
  const config = defaultMeshConfig();
  for (const text of ["", "# only\n", "---\n", "{}", "trustDomain: null"]) {
    assert.deepEqual(
      parseMeshConfig(text, "mesh"),
      { value: config, problems: [], warnings: [] },
      text,
    );
  }
  assert.equal(config.proxyListenPort, 15001);
  assert.equal(config.outboundTrafficPolicy?.mode, Mode.ALLOW_ANY);
  assert.equal(config.defaultConfig?.discoveryAddress, "meshd.mesh-system.svc:15012");
  assert.deepEqual(config.extensionProviders.map(({ name }) => name), [
    "prometheus",
    "stackdriver",
    "dataproxy",
  ]);
});

Deno.test("mesh config: set fields replace, merge or append", () => {
  const text = `
accessLogFile: /dev/stdout
outboundTrafficPolicy: {mode: REGISTRY_ONLY}
connectTimeout: 3s
defaultServiceExportTo: ["."]
trustDomainAliases: [old, old]
defaultConfig:
  drainDuration: 10s
  proxyMetadata: {B: two, A: one}
extensionProviders:
- name: prometheus
  prometheus: {}
- name: z
  zipkin: {service: ns/z.example.com, port: 9411}
`;
  const base = defaultMeshConfig();
  base.trustDomainAliases = ["older"];
  base.defaultConfig!.proxyMetadata = { A: "0", C: "3" };
  const { value, problems } = parseMeshConfig(text, "mesh", base);
  assert.deepEqual(problems, []);
  const expected = structuredClone(toJson(MeshConfigSchema, defaultMeshConfig())) as Record<
    string,
    unknown
  >;
  assert.deepEqual(toJson(MeshConfigSchema, value!), {
    ...expected,
    accessLogFile: "/dev/stdout",
    outboundTrafficPolicy: {},
    connectTimeout: "3s",
    defaultServiceExportTo: ["."],
    trustDomainAliases: ["older", "old"],
    defaultConfig: {
      ...expected.defaultConfig as object,
      drainDuration: "10s",
      proxyMetadata: { A: "one", B: "two", C: "3" },
    },
    extensionProviders: [
      ...expected.extensionProviders as object[],
      { name: "z", zipkin: { service: "ns/z.example.com", port: 9411 } },
    ],
  });
  assert.deepEqual(base.trustDomainAliases, ["older"], "the base is left alone");
});

Deno.test("mesh config: problems have positions, unknown fields only give warnings", () => {
  const cases: [string, ...string[]][] = [
    ["proxyListenPort: 70000", "invalid-port proxyListenPort 1"],
    ["a: 1\n---\nb: 2", "yaml-documents  3"],
    ["- a", "wrong-type  1"],
    ["connectTimeout: 31s", "invalid-duration connectTimeout 1"],
    ["trustDomain: a b", "invalid-name trustDomain 1"],
    ["rootNamespace: a.b", "invalid-name rootNamespace 1"],
    ["defaultServiceExportTo: [A]", "invalid-name defaultServiceExportTo[0] 1"],
    ["defaultHttpRetryPolicy: {attempts: -1}", "out-of-range defaultHttpRetryPolicy.attempts 1"],
    ["defaultConfig:\n  discoveryAddress: x", "invalid-value defaultConfig.discoveryAddress 2"],
    ["defaultConfig:\n  drainDuration: 1500ms", "invalid-duration defaultConfig.drainDuration 2"],
    ["defaultConfig: {statusPort: 0}", "invalid-port defaultConfig.statusPort 1"],
    ["extensionProviders: [{name: a}]", "required extensionProviders[0] 1"],
    [
      "extensionProviders:\n- {name: prometheus, prometheus: {}}\n- {name: a}",
      "required extensionProviders[1] 3",
    ],
    [
      "caCertificates:\n- spiffeBundleUrl: http://other.example/b",
      "invalid-value caCertificates[0].spiffeBundleUrl 2",
    ],
    [
      "caCertificates:\n- {pem: a, trustDomains: [a b]}",
      "invalid-name caCertificates[0].trustDomains[0] 2",
    ],
    ["configSources: [{address: 'fs://'}]", "invalid-value configSources[0].address 1"],
    ["configSources: [{}]", "invalid-value configSources[0].address 1"],
    ["configSources: [{address: 'xds://host'}]", "invalid-value configSources[0].address 1"],
    ["configSources: [{address: 'xds://h:70000'}]", "invalid-value configSources[0].address 1"],
    ...[
      ["mode: MESH_MUTUAL", "invalid-value", "mode"],
      ["mode: SIMPLE", "required", "caCertificates"],
      [
        "mode: SIMPLE, caCertificates: f, insecureSkipVerify: true",
        "invalid-value",
        "insecureSkipVerify",
      ],
      ["mode: SIMPLE, caCertificates: f, caCrl: f", "invalid-value", "caCrl"],
      [
        "mode: SIMPLE, caCertificates: f, subjectAltNames: [a, b]",
        "invalid-value",
        "subjectAltNames",
      ],
      ["mode: SIMPLE, caCertificates: f, sni: a, subjectAltNames: [b]", "invalid-value", "sni"],
      ["mode: SIMPLE, caCertificates: f, credentialName: c", "invalid-value", "credentialName"],
      ["mode: MUTUAL, caCertificates: f, clientCertificate: f", "required", "privateKey"],
    ].map(([tls, code, field]): [string, string] => [
      `configSources: [{address: 'xds://h:1', tlsSettings: {${tls}}}]`,
      `${code} configSources[0].tlsSettings.${field} 1`,
    ]),
    ["accessLogEncoding: XML", "unknown-value accessLogEncoding 1"],
  ];
  for (const [text, ...expected] of cases) {
    const { value, problems } = parseMeshConfig(text, "mesh");
    assert.equal(value, undefined, text);
    assert.deepEqual(
      problems.map(({ code, path, line }) => `${code} ${path} ${line}`),
      expected,
      text,
    );
  }
  const { value, warnings } = parseMeshConfig("trustDoman: x\ndefaultConfig: {nope: 1}", "mesh");
  assert.deepEqual(value, defaultMeshConfig());
  assert.deepEqual(warnings.map(({ code, path, line }) => `${code} ${path} ${line}`), [
    "unknown-field trustDoman 1",
    "unknown-field defaultConfig.nope 2",
  ]);
  assert.match(warnings[0]?.remedy ?? "", /trustDomain/);
});

Deno.test("mesh config: ineffective fields give warnings", () => {
  const { warnings } = parseMeshConfig(
    "accessLogFile: /x\nenableTracing: true\ndefaultConfig: {sds: {enabled: true}}",
    "mesh",
  );
  assert.deepEqual(warnings.map(({ path }) => path), ["defaultConfig.sds"]);
});

Deno.test("proxy config: over the defaults", () => {
  const { value } = parseProxyConfig(
    "terminationDrainDuration: 9s\nconcurrency: 3",
    "PROXY_CONFIG",
  );
  assert.equal(durationMs(value!.terminationDrainDuration!), 9000);
  assert.equal(value?.concurrency, 3);
  assert.equal(value?.proxyAdminPort, 15000);
  assert.equal(parseProxyConfig("concurrency: -1", "x").problems[0]?.path, "concurrency");
});

Deno.test("networks: read and checked", () => {
  assert.deepEqual(parseMeshNetworks("", "n").value, defaultMeshNetworks());
  const good = "networks:\n  n1:\n    endpoints: [{fromCidr: 10.0.0.0/8}, {fromRegistry: r}]\n" +
    "    gateways: [{address: 1.1.1.1, port: 443}]\n";
  assert.deepEqual(Object.keys(parseMeshNetworks(good, "n").value?.networks ?? {}), ["n1"]);
  const cases: [string, string][] = [
    [good.replace("10.0.0.0/8", "x"), "invalid-address networks.n1.endpoints[0].fromCidr 3"],
    [good.replace("{fromRegistry: r}", "{}"), "required networks.n1.endpoints[1] 3"],
    [good.replace("443", "0"), "invalid-port networks.n1.gateways[0].port 4"],
    [good.replace("1.1.1.1", "a_b"), "invalid-address networks.n1.gateways[0].address 4"],
  ];
  for (const [text, expected] of cases) {
    const found = parseMeshNetworks(text, "n").problems.map((p) => `${p.code} ${p.path} ${p.line}`);
    assert.deepEqual(found, [expected]);
  }
});

Deno.test("mesh config: directories are sources of configuration, and others are named with the reason", () => {
  const text = `configSources:
- address: fs:///etc/conf
- address: xds://other.example:15010
- address: k8s://
- address: fs://relative/conf
  subscribedResources: [SERVICE_REGISTRY]
`;
  const { value, warnings } = parseMeshConfig(text, "mesh");
  assert.deepEqual(value?.configSources.map(({ address }) => directoryOf(address)), [
    "/etc/conf",
    undefined,
    undefined,
    "relative/conf",
  ]);
  assert.equal(controlPlaneOf(value!.configSources[1]!.address), "other.example:15010");
  assert.deepEqual(warnings.map(({ path, message }) => `${path}: ${message}`), [
    'configSources[2].address: source "k8s://" does nothing: the orchestrator comes from --orchconfig or from the pod of the daemon',
    'configSources[3].subscribedResources: field "subscribedResources" is not implemented and has no effect',
  ]);
});
