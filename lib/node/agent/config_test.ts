import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { create, durationMs } from "../../kit/proto/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { type ConfigLayers, mergeConfig } from "./config.ts";

const NONE: ConfigLayers = {
  mesh: undefined,
  variable: undefined,
  annotation: undefined,
  serviceCluster: undefined,
};
const mesh = (text: string) => ({ file: "mesh.yaml", text });
const annotation = (text: string) => ({ file: "annotation", text });

Deno.test("without layers the built-in defaults hold", () => {
  const { proxy, warnings } = mergeConfig(NONE);
  assert.equal(proxy.configPath, "./etc/mesh/proxy");
  assert.equal(proxy.binaryPath, "/usr/local/bin/dataproxy");
  assert.equal(proxy.discoveryAddress, "meshd.mesh-system.svc:15012");
  assert.equal(proxy.proxyAdminPort, 15000);
  assert.equal(proxy.statusPort, 15020);
  assert.equal(proxy.drainDuration && durationMs(proxy.drainDuration), 45_000);
  assert.deepEqual(warnings, []);
});

Deno.test("each layer lies over the one before, field by field, metadata by key", () => {
  const { proxy } = mergeConfig({
    mesh: mesh(`
defaultConfig:
  discoveryAddress: mesh.example:15010
  proxyAdminPort: 1
  statusPort: 1
  concurrency: 1
  proxyMetadata: {FROM_MESH: "1", EACH: mesh}
`),
    variable:
      "proxyAdminPort: 2\nstatusPort: 2\nproxyMetadata: {FROM_VARIABLE: '2', EACH: variable}",
    annotation: annotation('{"statusPort": 3, "proxyMetadata": {"EACH": "annotation"}}'),
    serviceCluster: "flag",
  });
  assert.equal(proxy.discoveryAddress, "mesh.example:15010");
  assert.equal(proxy.concurrency, 1);
  assert.equal(proxy.proxyAdminPort, 2);
  assert.equal(proxy.statusPort, 3);
  assert.equal(proxy.binaryPath, "/usr/local/bin/dataproxy");
  assert.deepEqual(proxy.proxyMetadata, {
    FROM_MESH: "1",
    FROM_VARIABLE: "2",
    EACH: "annotation",
  });
  assert.deepEqual(proxy.clusterName, { case: "serviceCluster", value: "flag" });
});

const FAULTS: readonly (readonly [string, Partial<ConfigLayers>, RegExp])[] = [
  ["the mesh file", { mesh: mesh("a: 1\ndefaultConfig:\n  statusPort: x") }, /^mesh.yaml:3:15: /],
  ["the variable", { variable: "statusPort: 70000" }, /^PROXY_CONFIG:1:13: statusPort/],
  ["the annotation", { annotation: annotation("{") }, /^annotation:1:/],
];
for (const [what, layers, message] of FAULTS) {
  Deno.test(`a fault in ${what} is reported with its position`, () => {
    assert.throws(
      () => mergeConfig({ ...NONE, ...layers }),
      (error) => error instanceof MeshError && message.test(error.message),
    );
  });
}

Deno.test("settings of the proxy are distinguished from settings of the mesh", () => {
  const { proxy, own } = mergeConfig({
    ...NONE,
    mesh: mesh(
      "defaultConfig: {gatewayTopology: {numTrustedProxies: 2}, proxyHeaders: {requestId: {}}}",
    ),
    variable: "gatewayTopology: {numTrustedProxies: 1}",
  });
  assert.deepEqual(
    [proxy, own].map(({ gatewayTopology, proxyHeaders }) => [
      gatewayTopology?.numTrustedProxies,
      proxyHeaders !== undefined,
    ]),
    [[1, true], [1, false]],
  );
});

Deno.test("an unknown field is a warning with its position", () => {
  const { warnings } = mergeConfig({ ...NONE, variable: "statusPorts: 1" });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /^PROXY_CONFIG:1:1: statusPorts: unknown field/);
});

Deno.test("ProxyConfig resources override the mesh configuration, and the proxy's own settings override them", () => {
  const served = create(ProxyConfigSchema, { concurrency: 5, proxyMetadata: { A: "s", B: "s" } });
  const layers = { ...NONE, mesh: mesh("defaultConfig: {concurrency: 1, proxyMetadata: {A: m}}") };
  const { proxy, own } = mergeConfig({ ...layers, served, variable: "proxyMetadata: {B: v}" });
  assert.deepEqual([proxy.concurrency, proxy.proxyMetadata], [5, { A: "s", B: "v" }]);
  assert.deepEqual(own.proxyMetadata, { B: "v" });
  assert.equal(mergeConfig({ ...layers, served, variable: "concurrency: 2" }).proxy.concurrency, 2);
  const silent = create(ProxyConfigSchema);
  assert.equal(mergeConfig({ ...layers, served: silent }).proxy.concurrency, 1);
});

Deno.test("annotations of single fields override all other sources", () => {
  const merged = (annotations: Record<string, string>) =>
    mergeConfig({
      ...NONE,
      variable: "{statusPort: 2, discoveryAddress: 'variable:1'}",
      annotation: annotation("statusPort: 3"),
      annotations,
    });
  const port = "status.sidecar.mesh.io/port";
  const { proxy, own, warnings } = merged({
    [port]: "15999",
    "sidecar.mesh.io/discoveryAddress": "other.example:15012",
  });
  for (const config of [proxy, own]) {
    assert.equal(config.statusPort, 15999);
    assert.equal(config.discoveryAddress, "other.example:15012");
  }
  assert.deepEqual(warnings, []);
  assert.equal(merged({ [port]: "0" }).proxy.statusPort, 0);
  assert.equal(merged({ [port]: "" }).proxy.statusPort, 3);
  const wrong = merged({ [port]: "high" });
  assert.equal(wrong.proxy.statusPort, 3);
  assert.match(wrong.warnings.join(), /^annotation status\.sidecar\.mesh\.io\/port: "high" is not/);
});
