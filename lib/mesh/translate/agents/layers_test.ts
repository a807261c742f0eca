import assert from "node:assert/strict";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import {
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { create, fromBinary } from "../../../kit/proto/mod.ts";
import { AGENT_TYPE_URLS } from "../resources/mod.ts";
import { proxySettings } from "./proxy_settings.ts";

const certificate = (text: string): string =>
  `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;

/** A mesh configuration with these authorities. */
function configOf(...pems: string[]) {
  return create(MeshConfigSchema, {
    rootNamespace: "mesh-system",
    caCertificates: [
      ...pems.map((value) => ({ certificateData: { case: "pem" as const, value } })),
      { certificateData: { case: "spiffeBundleUrl" as const, value: "https://bundle.example" } },
    ],
  });
}

Deno.test("agents are sent the authorities of the mesh, each once, and their changes", () => {
  const features = { ...DEFAULT_FEATURES, multiRoot: true };
  const { translation, apply } = startTranslation(configOf(certificate("bb")), features);
  const binding = translation.source.bind(proxyNode("one"), () => {});
  const view = binding.view(AGENT_TYPE_URLS.proxyConfig)!;
  const served = () =>
    fromBinary(ProxyConfigSchema, view.get("proxy-config")!.bytes).caCertificatesPem;
  assert.deepEqual(served(), [certificate("bb")]);
  const before = translation.source.revision;
  apply({
    mesh: configOf(
      certificate("bb").replaceAll("\n", "\r\n"),
      certificate("cc") + certificate("aa"),
    ),
  });
  assert.deepEqual(served(), [certificate("aa"), certificate("bb"), certificate("cc")]);
  assert.deepEqual(view.since(before)?.changed.map(({ name }) => name), ["proxy-config"]);
});

Deno.test("agents are sent the roots of the daemon's authority, in every mesh", () => {
  const { translation, apply } = startTranslation(configOf(certificate("bb")));
  const binding = translation.source.bind(proxyNode("one"), () => {});
  const view = binding.view(AGENT_TYPE_URLS.proxyConfig)!;
  const served = () =>
    fromBinary(ProxyConfigSchema, view.get("proxy-config")!.bytes).caCertificatesPem;
  assert.deepEqual(served(), []);
  apply({ authorityRoots: [certificate("dd"), certificate("aa")] });
  assert.deepEqual(served(), [certificate("aa"), certificate("dd")]);
  apply({ authorityRoots: [certificate("dd")] });
  assert.deepEqual(served(), [certificate("dd")]);
});

Deno.test("agents are sent the ProxyConfig values of their proxy, the specific over the general", () => {
  const { translation, mesh, set, remove } = startTranslation(configOf(certificate("a")));
  const object = (name: string, namespace: string, spec: string): string =>
    `apiVersion: networking.mesh.io/v1beta1

kind: ProxyConfig

metadata: {name: ${name}, namespace: ${namespace}}

spec: {${spec}}

`;
  const served = (namespace: string, app: string) => {
    const binding = translation.source.bind(proxyNode(namespace, { labels: { app } }), () => {});
    const { bytes } = binding.view(AGENT_TYPE_URLS.proxyConfig)!.get("proxy-config")!;
    binding.close();
    const { concurrency, proxyMetadata, caCertificatesPem } = fromBinary(ProxyConfigSchema, bytes);
    assert.deepEqual(caCertificatesPem, [], "authorities are for meshes of several roots");
    const settings = proxySettings(mesh, { role: "sidecar", namespace, labels: { app } });
    assert.deepEqual([settings.concurrency, settings.proxyMetadata], [concurrency, proxyMetadata]);
    return [concurrency, proxyMetadata];
  };
  assert.deepEqual(served("one", "a"), [undefined, {}]);
  set(object("all", "mesh-system", "concurrency: 1, environmentVariables: {A: all, B: all}"));
  set(object("own", "one", "environmentVariables: {B: own, C: own}"));
  set(object("a", "one", "selector: {matchLabels: {app: a}}, concurrency: 3"));
  assert.deepEqual(served("one", "a"), [3, { A: "all", B: "own", C: "own" }]);
  assert.deepEqual(served("one", "b"), [1, { A: "all", B: "own", C: "own" }]);
  assert.deepEqual(served("two", "a"), [1, { A: "all", B: "all" }]);
  remove("ProxyConfig", "one/a");
  assert.deepEqual(served("one", "a"), [1, { A: "all", B: "own", C: "own" }]);
});

Deno.test("to libraries nothing of the kind is served", () => {
  const binding = (features: typeof DEFAULT_FEATURES, metadata = {}) =>
    startTranslation(configOf(certificate("a")), features).translation.source
      .bind(proxyNode("one", { metadata }), () => {});
  const roots = { ...DEFAULT_FEATURES, multiRoot: true };
  for (const url of Object.values(AGENT_TYPE_URLS)) {
    assert.equal(binding(roots, { GENERATOR: "grpc" }).view(url), undefined);
    const moved = binding(roots);
    assert.notEqual(moved.view(url), undefined);
    moved.close();
    assert.equal(moved.view(url), undefined);
  }
});

Deno.test("agents are not sent authorities that are only for other trust domains", () => {
  const { translation } = startTranslation(
    create(MeshConfigSchema, {
      rootNamespace: "mesh-system",
      trustDomain: "own.example",
      trustDomainAliases: ["older.example"],
      caCertificates: [
        [[], "all"],
        [["own.example", "x.example"], "own"],
        [["older.example"], "older"],
        [["x.example"], "other"],
      ].map(([trustDomains, text]) => ({
        trustDomains: trustDomains as string[],
        certificateData: { case: "pem" as const, value: certificate(text as string) },
      })),
    }),
    { ...DEFAULT_FEATURES, multiRoot: true },
  );
  const binding = translation.source.bind(proxyNode("one"), () => {});
  const { bytes } = binding.view(AGENT_TYPE_URLS.proxyConfig)!.get("proxy-config")!;
  assert.deepEqual(
    fromBinary(ProxyConfigSchema, bytes).caCertificatesPem,
    ["all", "older", "own"].map(certificate),
  );
});
