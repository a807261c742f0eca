import assert from "node:assert/strict";
import { buildInfo } from "../../kit/base/mod.ts";
import {
  ProxyConfig_InboundInterceptionMode as Interception,
  ProxyConfig_TracingServiceName as TracingName,
  ProxyConfigSchema,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { create } from "../../kit/proto/mod.ts";
import { planAgent } from "./plan.ts";
import { type TestSettings, testSettings } from "../../../tests/support/agent_settings.ts";

const nodeOf = (settings: TestSettings) => planAgent(testSettings(settings)).node;

Deno.test("the id has type, address, name, namespace and domain", () => {
  const environ = { POD_NAME: "shop-1", POD_NAMESPACE: "prod" };
  assert.equal(nodeOf({ environ }).id, "sidecar~10.0.0.1~shop-1.prod~prod.svc.cluster.local");
  const flags = { role: "router", domain: "corp.example" } as const;
  assert.equal(nodeOf({ flags }).id, "router~10.0.0.1~host.default~corp.example");
});

Deno.test("the node has the settings of this proxy, not those of the mesh", () => {
  const all = { gatewayTopology: { numTrustedProxies: 2 }, proxyHeaders: { requestId: {} } };
  const ownProxy = create(ProxyConfigSchema, { gatewayTopology: { numTrustedProxies: 1 } });
  const { metadata } = nodeOf({ proxy: { ...all, meshId: "m" }, ownProxy });
  const { gatewayTopology, proxyHeaders, meshId } = metadata.PROXY_CONFIG as Record<
    string,
    unknown
  >;
  assert.deepEqual(gatewayTopology, { numTrustedProxies: 1 });
  assert.deepEqual([proxyHeaders, meshId], [undefined, "m"]);
});

Deno.test("metadata comes from the environment, the pod's files and the configuration", () => {
  const { metadata, locality } = nodeOf({
    environ: {
      POD_NAME: "shop-1",
      POD_NAMESPACE: "prod",
      SERVICE_ACCOUNT: "shop",
      CLUSTER_ID: "east",
      MESH_META_NETWORK: "n1",
      MESH_META_HTTP10: "1",
      MESH_METAJSON_LABELS: '{"app":"shop","mesh-locality":"r1.z1.s1"}',
      MESH_METAJSON_MORE: '{"LIST":[1,2]}',
      EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true",
    },
    labels: { version: "v1" },
    annotations: { note: "x" },
    addresses: {
      ips: ["10.0.0.1", "10.0.0.2", "10.0.0.1"],
      ipv6Only: false,
      both: false,
      loopbackOnly: false,
    },
    flags: { outlierLogPath: "/dev/stdout" },
    proxy: { meshId: "m", interceptionMode: Interception.NONE, statusPort: 15020 },
  });
  const { PROXY_CONFIG: config, ...rest } = metadata;
  assert.deepEqual(rest, {
    MESH_VERSION: buildInfo.version,
    INTERCEPTION_MODE: "NONE",
    MESH_ID: "m",
    CLUSTER_ID: "east",
    NETWORK: "n1",
    HTTP10: "1",
    AGENT_DRAIN: "true",
    AGENT_WASM: "true",
    app: "shop",
    "mesh-locality": "r1.z1.s1",
    LIST: [1, 2],
    SERVICE_ACCOUNT: "shop",
    NAME: "shop-1",
    NAMESPACE: "prod",
    INSTANCE_IPS: "10.0.0.1,10.0.0.2",
    DATAPROXY_PROMETHEUS_PORT: 15090,
    DATAPROXY_STATUS_PORT: 15021,
    OUTLIER_LOG_PATH: "/dev/stdout",
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true,
    LABELS: { app: "shop", "mesh-locality": "r1/z1/s1", version: "v1" },
    STATIC_LABELS: { app: "shop", "mesh-locality": "r1/z1/s1" },
    ANNOTATIONS: { note: "x" },
  });
  assert.deepEqual(locality, { region: "r1", zone: "z1", sub_zone: "s1" });
  assert.equal((config as Record<string, unknown>).meshId, "m");
});

Deno.test("the interception mode of the environment wins over the configuration", () => {
  const environ = { MESH_META_INTERCEPTION_MODE: "TPROXY", MESH_META_CLUSTER_ID: "west" };
  const { metadata } = nodeOf({ environ, proxy: { interceptionMode: Interception.NONE } });
  assert.equal(metadata.INTERCEPTION_MODE, "TPROXY");
  assert.equal(metadata.CLUSTER_ID, "west");
  assert.equal(nodeOf({}).metadata.INTERCEPTION_MODE, undefined);
});

const LOCALITIES: readonly (readonly [Record<string, string>, object])[] = [
  [{}, {}],
  [{ "mesh-locality": "r" }, { region: "r" }],
  [{ "mesh-locality": "r/z" }, { region: "r", zone: "z" }],
  [{ "mesh-locality": "r/z.1/s.1" }, { region: "r", zone: "z.1", sub_zone: "s.1" }],
  [{ "topology.mesh.io/locality": "a.b", "mesh-locality": "r" }, { region: "a", zone: "b" }],
];
for (const [labels, locality] of LOCALITIES) {
  Deno.test(`the locality of ${JSON.stringify(labels)}`, () => {
    assert.deepEqual(nodeOf({ labels }).locality, locality);
  });
}

const PLATFORM = {
  metadata: { aws_region: "eu-west-1" },
  locality: { region: "eu-west-1", zone: "eu-west-1b", subzone: "" },
};

Deno.test("a cloud platform gives metadata, and the locality unless labels do", () => {
  const { metadata, locality } = nodeOf({ platform: PLATFORM });
  assert.deepEqual(metadata.PLATFORM_METADATA, { aws_region: "eu-west-1" });
  assert.deepEqual(locality, { region: "eu-west-1", zone: "eu-west-1b" });
  const overridden = nodeOf({ platform: PLATFORM, labels: { "mesh-locality": "r.z" } });
  assert.deepEqual(overridden.locality, { region: "r", zone: "z" });
  assert.equal(nodeOf({}).metadata.PLATFORM_METADATA, undefined);
});

const named = (value: string) => ({ clusterName: { case: "serviceCluster", value } }) as const;
const traced = (value: TracingName) =>
  ({ clusterName: { case: "tracingServiceName", value } }) as const;
const CLUSTERS: readonly (readonly [TestSettings, string])[] = [
  [{}, "mesh-proxy.default"],
  [{ proxy: named("mine") }, "mine"],
  [{ labels: { app: "shop" } }, "shop.default"],
  [{ environ: { MESH_META_WORKLOAD_NAME: "w" } }, "w.default"],
  [{ proxy: traced(TracingName.APP_LABEL_AND_NAMESPACE), labels: { app: "a" } }, "a.default"],
  [{ proxy: traced(TracingName.CANONICAL_NAME_ONLY), labels: { app: "a" } }, "a"],
  [{
    proxy: traced(TracingName.CANONICAL_NAME_AND_NAMESPACE),
    labels: { app: "a", "service.mesh.io/canonical-name": "c" },
  }, "c.default"],
];
for (const [settings, cluster] of CLUSTERS) {
  Deno.test(`the node's cluster is ${cluster}`, () => {
    assert.equal(nodeOf(settings).cluster, cluster);
  });
}

Deno.test("an access token does not leave the machine with the metadata", () => {
  const value = { address: "a:1", accessToken: "secret" };
  const { node, bootstrap } = planAgent(
    testSettings({ proxy: { tracing: { tracer: { case: "lightstep", value } } } }),
  );
  assert.doesNotMatch(JSON.stringify(node) + bootstrap, /secret/);
});

for (const text of ["{", "[]", "1", ""]) {
  Deno.test(`MESH_METAJSON_X=${text} is left out and named`, () => {
    const environ = { MESH_METAJSON_X: text, MESH_METAJSON_Y: '{"a":"b"}' };
    const { node, unread } = planAgent(testSettings({ environ }));
    assert.deepEqual([...unread.keys()], ["MESH_METAJSON_X"]);
    assert.equal(node.metadata.a, "b");
  });
}

Deno.test("the label of a version's pods is not sent", () => {
  const { metadata } = nodeOf({
    environ: { MESH_METAJSON_LABELS: '{"app":"shop","pod-template-hash":"x"}' },
    labels: { version: "v1", "pod-template-hash": "y" },
  });
  assert.deepEqual(metadata.LABELS, { app: "shop", version: "v1" });
  assert.deepEqual(metadata.STATIC_LABELS, { app: "shop" });
});
